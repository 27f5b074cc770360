//! A command among others: threads, pipes, interrupts, memory.

use crate::desk::*;
use faer::Mat;
use orff::learn::learner;
use orff::model::Query;
use orff::rows::{Inputs, Table};
use orff::watch::Silent;
use serde_json::json;
use std::io::Write;
use std::process::{Command, Stdio};

/// The columns of a CSV file of numbers, without its header.
fn columns(text: &str) -> Vec<Vec<f64>> {
    let rows: Vec<Vec<f64>> =
        text.lines().skip(1).map(|line| line.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    (0..rows[0].len()).map(|k| rows.iter().map(|row| row[k]).collect()).collect()
}

/// Rows for several blocks and batches: the library and the command predict the same bits with any number of threads.
/// (The tests of the Python package compare it with the command.)
#[test]
fn same_seed_same_bits_in_the_library_and_for_any_number_of_threads() {
    let desk = Desk::new();
    let text = rows(20_000, "x1,x2,y1,y2");
    desk.write("d.csv", &text);
    let d = columns(&text);
    let part = |from: usize, n: usize| Mat::from_fn(n, 2, |i, k| d[from + k][i]);
    for (name, flag, size, n) in
        [("regression", "features", 64, 20_000), ("nystrom", "points", 40, 20_000), ("field", "features", 64, 20_000)]
    {
        let table = Table::new(part(0, n), part(2, n)).unwrap();
        let learner = learner(name).unwrap();
        let fit = |threads: usize| {
            let values = json!({ flag: size, "threads": threads, "lengthscale": 1.0 });
            let model = (learner.fit)(values.as_object().unwrap(), &table, &mut Silent).unwrap();
            model.predict(&Inputs::Dense(part(0, n)), Query::default()).unwrap().mean
        };
        let expected = fit(2);
        assert!(fit(1) == expected && fit(4) == expected, "{name} in the library");
        for threads in ["1", "2", "4"] {
            let (flag, size) = (format!("--{flag}"), size.to_string());
            let fit = [
                "-q",
                "fit",
                name,
                "d.csv",
                "--outputs",
                "y1,y2",
                &flag,
                &size,
                "--threads",
                threads,
                "--lengthscale",
                "1",
            ];
            desk.ok(&[&fit[..], &["-o", "m.orff"]].concat());
            desk.ok(&["-q", "predict", "m.orff", "d.csv", "--threads", threads, "-o", "p.csv"]);
            let found = columns(&desk.read("p.csv"));
            assert_eq!(found.len(), 2);
            let same = (0..n).all(|i| (0..2).all(|t| found[t][i].to_bits() == expected[(i, t)].to_bits()));
            assert!(same, "{name} with {threads} threads on the command line");
        }
    }
}

#[test]
fn a_closed_pipe_is_success() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(3000, "x1,x2,y1,y2"));
    desk.ok(&[
        "-q",
        "fit",
        "regression",
        "d.csv",
        "--outputs",
        "y1",
        "--features",
        "16",
        "--ridge",
        "0.01",
        "-o",
        "m.orff",
    ]);
    let mut child =
        desk.command(&["predict", "m.orff", "d.csv"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success(), "{}", texts(&out).1);
    // nor does it matter when nobody listens to the talk
    let line = ["fit", "regression", "d.csv", "--outputs", "y1", "--features", "16", "-o", "n.orff"];
    let mut child = desk.command(&line).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stderr.take());
    assert!(child.wait().unwrap().success());
    assert!(desk.path("n.orff").exists());
}

#[test]
fn help_that_cannot_be_written_is_an_error() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let desk = Desk::new();
    for line in [&["--help"][..], &["--version"], &["fit", "regression", "--help"]] {
        let out = desk.command(line).stdout(full.try_clone().unwrap()).stderr(Stdio::piped()).output().unwrap();
        let said = texts(&out).1;
        assert_eq!(out.status.code(), Some(1), "{line:?}: {said}");
        assert!(said.starts_with("orff: standard output: ") && said.lines().count() == 1, "{said}");
    }
}

#[test]
fn a_full_standard_output_is_named() {
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    let fit = ["fit", "regression", "d.csv", "--outputs", "y1,y2", "--features", "16"];
    desk.ok(&[&["-q"][..], &fit[..], &["-o", "m.orff"]].concat());
    for line in [
        &["inspect", "m.orff"][..],
        &["inspect", "m.orff", "--format", "json"],
        &["-q", "evaluate", "m.orff", "d.csv"],
        &["experiment", "list"],
        &["completions", "bash"],
        &[&["-q"][..], &fit[..], &["--folds", "2"]].concat(),
    ] {
        let out = desk.command(line).stdout(full.try_clone().unwrap()).stderr(Stdio::piped()).output().unwrap();
        let said = texts(&out).1;
        assert_eq!(out.status.code(), Some(1), "{line:?}: {said}");
        assert_eq!(said, "orff: standard output: no space left on the disk\n", "{line:?}");
    }
}

/// Peak memory of a process in megabytes.
#[cfg(target_os = "linux")]
fn peak(pid: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

/// With everything chosen: what choices free is not kept.
#[test]
#[cfg(target_os = "linux")]
fn a_fit_takes_the_memory_it_says() {
    let desk = Desk::new();
    let uniform = |k: u64, i: usize| (orff_table::hash(k, i as u64) >> 11) as f64 / (1u64 << 53) as f64;
    let value = |i: usize| (5.0 * uniform(0, i)).sin() + uniform(1, i) * uniform(2, i);
    let all = faer::Mat::from_fn(3000, 21, |i, k| if k < 20 { uniform(k as u64, i) } else { value(i) });
    let names: Vec<String> = (1..=21).map(|k| format!("x{k}")).collect();
    let mut writer = orff_table::Writer::create(desk.path("d.npy"), None, &[], &names).unwrap();
    writer.write(&[], all.as_ref()).unwrap();
    writer.finish().unwrap();
    let line = ["fit", "regression", "d.npy", "--outputs", "21", "-o", "m.orff"];
    for more in [
        &[][..],
        &["--features", "600", "--lengthscale", "2", "--ridge", "0.01"],
        &["--features", "900", "--lengthscale", "2", "--ridge", "loo"],
    ] {
        let mut child = desk.command(&[&line[..], more].concat()).stderr(Stdio::piped()).spawn().unwrap();
        let mut took = 0.0f64;
        while child.try_wait().unwrap().is_none() {
            took = took.max(peak(child.id()).unwrap_or(0.0) * 1.048576);
            std::thread::sleep(std::time::Duration::from_millis(3));
        }
        let said = texts(&child.wait_with_output().unwrap()).1;
        let about = said.split("memory about ").nth(1).and_then(|t| t.split(' ').next());
        let about: f64 = about.unwrap_or_else(|| panic!("{said}")).parse().unwrap();
        assert!((0.8..1.25).contains(&(about / took)), "{more:?}: said {about} MB, took {took:.0} MB");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_million_rows_stream_in_bounded_memory() {
    let desk = Desk::new();
    let args =
        ["fit", "regression", "-", "--outputs", "y", "--features", "64", "--lengthscale", "10", "-o", "m.orff"];
    let mut child = desk.command(&args).stdin(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut pipe = std::io::BufWriter::with_capacity(1 << 16, child.stdin.take().unwrap());
    let names: Vec<String> = (1..=20).map(|k| format!("x{k}")).collect();
    writeln!(pipe, "{},y", names.join(",")).unwrap();
    let (mut line, mut most) = (String::new(), 0.0f64);
    for i in 0..1_000_000u64 {
        line.clear();
        let mut bits = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for _ in 0..20 {
            bits ^= bits >> 29;
            bits = bits.wrapping_mul(0xbf58_476d_1ce4_e5b9);
            line.push(char::from(b'0' + (bits >> 60) as u8 % 10));
            line.push(',');
        }
        line.push(line.as_bytes()[0] as char);
        line.push('\n');
        pipe.write_all(line.as_bytes()).unwrap();
        if i % 50_000 == 0 {
            most = most.max(peak(child.id()).unwrap_or(0.0));
        }
    }
    drop(pipe);
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(child.id()).unwrap_or(0.0));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(child.wait().unwrap().success());
    assert!(most > 5.0 && most < 1000.0, "{most} MB");
    println!("peak {most:.0} MB");
    let (text, _) = desk.ok(&["inspect", "m.orff"]);
    assert!(text.contains("1000000"), "{text}");
}

/// As many patterns of missing outputs as rows: a matrix of moments for each would take more than a gigabyte.
#[test]
#[cfg(target_os = "linux")]
fn missing_outputs_take_the_memory_that_was_said() {
    let desk = Desk::new();
    let cell = |i: usize, t: usize| if i >> t & 1 == 1 { String::new() } else { format!("{}", (i * (t + 3)) % 17) };
    let names: Vec<String> = (1..=9).map(|t| format!("y{t}")).collect();
    let text = (0..500).fold(format!("x,{}\n", names.join(",")), |text, i| {
        let outputs: Vec<String> = (0..9).map(|t| cell(i, t)).collect();
        format!("{text}{},{}\n", i % 50, outputs.join(","))
    });
    desk.write("d.csv", &text);
    let line = ["fit", "regression", "d.csv", "--inputs", "x", "--outputs", "y1..y9", "--features", "600"];
    let more = ["--ridge", "0.01", "--lengthscale", "5", "--memory", "150", "-o", "m.orff"];
    let mut child = desk.command(&[&line[..], &more[..]].concat()).stderr(Stdio::null()).spawn().unwrap();
    let mut most = 0.0f64;
    while child.try_wait().unwrap().is_none() {
        most = most.max(peak(child.id()).unwrap_or(0.0));
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    assert!(child.wait().unwrap().success());
    assert!(most > 5.0 && most < 300.0, "{most} MB");
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_stops_and_writes_nothing() {
    let desk = Desk::new();
    let args = ["fit", "regression", "-", "--outputs", "y1", "-o", "m.orff"];
    let mut child =
        desk.command(&args).stdin(Stdio::piped()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(rows(50, "x1,x2,y1,y2").as_bytes()).unwrap();
    pipe.flush().unwrap();
    // the command now waits for more rows; give it time to start listening
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let out = child.wait_with_output().unwrap();
    drop(pipe);
    assert_eq!(out.status.code(), Some(1), "{}", texts(&out).1);
    assert!(texts(&out).1.contains("interrupted"), "{}", texts(&out).1);
    assert!(!desk.path("m.orff").exists());
}
