//! Wrong questions: what is said, where, and with which exit code.

use crate::desk::*;

#[test]
fn wrong_questions_get_clear_answers() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(50, "x1,x2,y1,y2"));
    fn fit(more: &[&'static str]) -> Vec<&'static str> {
        [&["fit", "regression", "d.csv", "-o", "m.orff"], more].concat()
    }
    for (args, code, sentence) in [
        (fit(&[]), 2, "--outputs: say which columns to learn"),
        (fit(&["--outputs", "z"]), 2, "\"z\" not found"),
        (
            fit(&["--outputs", "y1", "--ridge", "-1"]),
            2,
            "--ridge: expected evidence, gcv, loo or a number ≥ 0, got -1",
        ),
        (fit(&["--outputs", "y1", "--features", "7", "--map", "pairs"]), 2, "features: expected an even number"),
        (fit(&["--outputs", "y1", "--kernel", "curl-fre"]), 2, "did you mean curl-free?"),
        (fit(&["--outputs", "y1", "--draw", "sorted"]), 2, "--draw: expected auto or one of"),
        (fit(&["--outputs", "y1,y2", "--inputs", "x1,x2", "--kernel", "curl-free(laplace)"]), 2, "is refused"),
        (
            vec!["fit", "regression", "none.csv", "--outputs", "y", "-o", "m.orff"],
            1,
            "orff: none.csv: no such file\n",
        ),
        (vec!["predict", "d.csv", "d.csv"], 1, "d.csv"),
        (vec!["predict", "none.orff", "d.csv"], 1, "orff: none.orff: no such file\n"),
        (vec!["fit", "nothing"], 2, "nothing"),
        (vec!["experiment", "run", "x99"], 2, "expected one of m16-table-1"),
        (vec!["experiment", "run", "l19-table-1", "--part", "x"], 2, "--part: expected one of breast, adult, farm"),
        (vec!["experiment", "run", "m16-table-1", "--part", "x"], 2, "m16-table-1 has no parts"),
    ] {
        let said = desk.fails(&args, code);
        assert!(said.contains(sentence), "{args:?}: {said}");
        assert!(!desk.path("m.orff").exists(), "nothing is written when a fit fails");
    }
    desk.write("gap.csv", "x,y\n1,2\nn/a,3\n4,5\n");
    let said = desk.fails(&["fit", "regression", "gap.csv", "--outputs", "y", "-o", "m.orff"], 1);
    assert!(said.contains("gap.csv:3:1") && said.contains("--missing drop"), "{said}");
    desk.ok(&["fit", "regression", "gap.csv", "--outputs", "y", "--missing", "drop", "-o", "m.orff"]);
    desk.write("comma.csv", "x;y\n0,5;1,25\n0,75;2\n");
    let said = desk.fails(&["fit", "regression", "comma.csv", "--outputs", "y", "-o", "e.orff"], 1);
    assert!(said.contains("decimal commas are not read, write points"), "{said}");
    desk.write("empty.csv", "");
    desk.fails(&["fit", "regression", "empty.csv", "--outputs", "y", "-o", "e.orff"], 1);
    let whole = std::fs::read(desk.path("m.orff")).unwrap();
    std::fs::write(desk.path("cut.orff"), &whole[..whole.len() / 2]).unwrap();
    let said = desk.fails(&["inspect", "cut.orff"], 1);
    assert!(said.contains("cut.orff"), "{said}");
}

#[test]
fn what_cannot_be_learned_is_said_before_the_work() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    let line = ["fit", "regression", "d.csv", "--outputs", "y1", "--inputs", "x1,x2", "-o", "m.orff"];
    let said = desk.fails(&[&line[..], &["--features", "1000000"]].concat(), 2);
    // the moments and what is made of them: two matrices of 10⁶×10⁶ numbers of 8 bytes, and little else
    let needed = said.split("which need about ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<f64>().ok());
    assert!(needed.is_some_and(|mb| (mb / 16e6 - 1.0).abs() < 0.01), "{said}");
    // outputs that are tied together and sometimes missing are one system of twice the unknowns
    desk.write("holes.csv", "x,y1,y2\n1,2,3\n2,,4\n3,4,\n4,5,6\n");
    let tied = ["--outputs", "y1,y2", "--kernel", "decomposable(gaussian, [[1, 0.5], [0.5, 1]])", "--memory", "300"];
    let holes = [&["fit", "regression", "holes.csv", "-o", "m.orff", "--features", "2000"], &tied[..]].concat();
    let said = desk.fails(&[&holes[..], &["--solver", "moments"]].concat(), 2);
    assert!(said.contains("within 300 MB") && !said.contains("memory about"), "{said}");
    let (_, said) = desk.ok(&holes);
    assert!(said.contains("solver rows: moments of 2 outputs would take"), "{said}");
    let said = desk.fails(&["fit", "field", "d.csv", "--outputs", "y1,y2", "--ridge", "loo", "-o", "m.orff"], 2);
    assert!(said.contains("exact for decomposable kernels"), "{said}");
    let said = desk.fails(&[&line[..8], &["nowhere/m.orff"]].concat(), 1);
    assert!(said.contains("there is no folder nowhere"), "{said}");
    desk.write("huge.csv", "x,y\n1,7\n1e200,8\n3,9\n");
    let said = desk.fails(&["fit", "regression", "huge.csv", "--outputs", "y", "-o", "h.orff"], 1);
    assert!(said.contains("input \"x\": its values spread too far"), "{said}");
    desk.ok(&[&line[..], &["--features", "32"]].concat());
    desk.write("far.csv", "x1,x2\n0,0\n1.7e308,1.7e308\n");
    let out = desk.run(&["predict", "m.orff", "far.csv"]);
    assert_eq!(out.status.code(), Some(1));
    assert!(texts(&out).1.contains("far.csv:3: the prediction is not finite"), "{}", texts(&out).1);
    desk.write("one.csv", "x,y\n1,2\n");
    desk.ok(&["fit", "regression", "one.csv", "--outputs", "y", "-o", "one.orff"]);
    let said = desk.fails(&["predict", "one.orff", "one.csv", "--std"], 2);
    assert!(said.contains("too few rows"), "{said}");
}

#[test]
fn what_a_model_cannot_answer_is_refused_before_a_header_is_printed() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    let line = ["-q", "fit", "regression", "d.csv", "--inputs", "x1", "--outputs", "y1,y2", "--features", "16"];
    desk.ok(&[&line[..], &["-o", "m.orff"]].concat());
    for word in ["divergence", "curl", "potential", "stream-function", "vector-potential", "gradient-part"] {
        let said = desk.fails(&["predict", "m.orff", "d.csv", "--also", word], 2);
        assert!(said.contains(&format!("--also {word}: ")) && said.contains("is refused"), "{said}");
    }
    desk.ok(&[&line[..], &["--posterior=false", "-o", "m.orff"]].concat());
    let said = desk.fails(&["predict", "m.orff", "d.csv", "--std"], 2);
    assert!(said.contains("without a posterior"), "{said}");
}

/// What the library refuses by number is said with the name that the column has in the file.
#[test]
fn columns_that_cannot_be_scaled_are_named() {
    let desk = Desk::new();
    let table = |scale: [f64; 3]| {
        let cell = |i: u64, k: u64| (orff_table::hash(k, i) >> 11) as f64 / (1u64 << 53) as f64 * scale[k as usize];
        (0..40).fold("depth,width,speed\n".to_string(), |text, i| {
            format!("{text}{},{},{}\n", cell(i, 0), cell(i, 1), cell(i, 2))
        })
    };
    for (scale, said) in [
        ([1.0, 1e300, 1.0], "orff: input \"width\": its values spread too far"),
        ([1e-300, 1.0, 1.0], "orff: input \"depth\": its values lie too close together"),
        ([1.0, 1.0, 1e300], "orff: output \"speed\": its values spread too far"),
    ] {
        desk.write("d.csv", &table(scale));
        for learner in ["regression", "exact", "nystrom"] {
            let told = desk.fails(&["-q", "fit", learner, "d.csv", "--outputs", "speed", "-o", "m.orff"], 1);
            assert!(told.starts_with(said), "{learner}: {told}");
        }
    }
    desk.write("d.csv", "a,y,z\n1,2,\n2,3,\n3,5,\n");
    let told = desk.fails(&["-q", "fit", "regression", "d.csv", "--outputs", "y,z", "-o", "m.orff"], 1);
    assert!(told.starts_with("orff: output \"z\": not observed on any row"), "{told}");
    // names of one letter are not near each other
    let told = desk.fails(&["-q", "fit", "regression", "d.csv", "--outputs", "q", "-o", "m.orff"], 2);
    assert_eq!(told, "orff: column \"q\" not found in d.csv; columns: a, y, z\n");
}

#[test]
fn a_bad_metric_is_refused_before_the_work() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    for (metric, expected) in [
        ("[[1]]", "--metric: expected 2×2, a row and a column per output, got 1×1"),
        ("[[1, 2], [2, 1]]", "--metric: expected a symmetric positive definite matrix given by its rows"),
        ("[[1, 0.5], [0, 1]]", "--metric: expected a symmetric positive definite matrix given by its rows"),
        ("@none.json", "--metric: none.json: no such file (expected a file that holds a matrix by its rows"),
    ] {
        let code = if metric.starts_with('@') { 1 } else { 2 };
        let line = ["fit", "regression", "d.csv", "--outputs", "y1,y2", "--metric", metric, "-o", "m.orff"];
        let said = desk.fails(&line, code);
        assert!(said.contains(expected) && !said.contains("memory about"), "{said}");
    }
}

#[test]
fn a_row_outside_the_domain_is_named_by_its_place() {
    let desk = Desk::new();
    let good: String = (1..80).map(|i| format!("{i},{},{}\n", i % 7 + 1, i % 5)).collect();
    let bad = format!("length,height,y\n{good}3,-2,1\n4,5,1\n");
    desk.write("bad.csv", &bad);
    desk.write("good.csv", &format!("length,height,y\n{good}"));
    let fit = |file: &'static str| {
        let line = ["fit", "regression", file, "--outputs", "y", "--group", "multiplicative", "--features", "16"];
        [&line[..], &["-o", "m.orff"]].concat()
    };
    let place = "bad.csv:81:2: input \"height\": -2 is outside the domain of the multiplicative group (x > 0)";
    for more in [&[][..], &["--test", "0.3"][..], &["--folds", "4"][..]] {
        let said = desk.fails(&[&fit("bad.csv")[..], more].concat(), 1);
        assert!(said.contains(place), "{said}");
    }
    desk.ok(&fit("good.csv"));
    let said = texts(&desk.run(&["predict", "m.orff", "bad.csv"])).1;
    assert!(said.contains(place), "{said}");
    let said = desk.fails(&["evaluate", "m.orff", "bad.csv"], 1);
    assert!(said.contains(place), "{said}");
}

#[test]
fn a_kernel_in_a_file_is_read_and_complained_about_by_name() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    desk.write("k.txt", "  decomposable(matern(1.5))\n");
    desk.write("k.json", r#"{"kernel": "decomposable", "spectrum": {"name": "matern", "smoothness": 1.5}}"#);
    desk.write("misspelt.txt", "curl-fre");
    desk.write("cut.json", r#"{"kernel": "curl-free""#);
    desk.write("odd.json", r#"{"kernel": "curl-fre"}"#);
    desk.write("binary.bin", "");
    std::fs::write(desk.path("binary.bin"), [0xff, 0xfe, 0x00]).unwrap();
    let line =
        ["-q", "fit", "regression", "d.csv", "--outputs", "y1,y2", "--features", "16", "-o", "m.orff", "--kernel"];
    for good in ["@k.txt", "@k.json"] {
        desk.ok(&[&line[..], &[good]].concat());
        let (text, _) = desk.ok(&["inspect", "m.orff"]);
        assert!(text.contains("decomposable(matern(1.5, "), "{text}");
    }
    for (bad, code, why) in [
        ("@none.txt", 1, "--kernel: none.txt: no such file (expected a file that holds an expression such as"),
        ("@binary.bin", 1, "--kernel: binary.bin: not a text file"),
        ("@misspelt.txt", 2, "--kernel: misspelt.txt: \"curl-fre\": unknown kernel"),
        ("@cut.json", 2, "--kernel: cut.json: not JSON: "),
        ("@odd.json", 2, "--kernel: odd.json: unknown variant `curl-fre`"),
        ("k.txt", 2, "--kernel: k.txt is a file (write @ before its name: @k.txt)"),
    ] {
        let said = desk.fails(&[&line[..], &[bad]].concat(), code);
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn exit_codes_tell_a_wrong_call_from_failed_work() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    desk.write("bad.toml", "kernel = \"curl-fre\"\n");
    desk.write("words.csv", "x,y\n1,2\nten,3\n4,5\n");
    let fit =
        |more: &[&'static str]| [&["fit", "regression", "d.csv", "-o", "m.orff", "--features", "16"], more].concat();
    for wrong in [
        fit(&["--outputs", "y1", "--inputs", "x9"]),
        fit(&["--outputs", "y1", "--inputs", "x1,,x2"]),
        fit(&["--outputs", "y1", "--weight", "x1,x2"]),
        fit(&["--outputs", "y1", "--lengthscale", "1,2"]),
        fit(&["--outputs", "y1", "--group", "skewed(1, 2)"]),
        fit(&["--outputs", "y1", "--file-format", "xls"]),
        fit(&["--outputs", "y1", "--config", "bad.toml"]),
        fit(&["--outputs", "y1", "--config", "none.toml"]),
        fit(&["--outputs", "y1", "--folds", "1"]),
        vec!["fit", "field", "d.csv", "--outputs", "y1", "-o", "m.orff"],
        vec!["predict", "m.orff", "d.csv", "--keep", "name"],
        vec!["inspect"],
    ] {
        if wrong[0] == "predict" {
            desk.ok(&fit(&["--outputs", "y1"]));
        }
        desk.fails(&wrong, 2);
    }
    let said = desk.fails(&fit(&["--outputs", "y1", "--config", "none.toml"]), 2);
    assert_eq!(said, "orff: --config: none.toml cannot be read: no such file\n");
    for failed in [
        vec!["fit", "regression", "none.csv", "--outputs", "y", "-o", "m.orff"],
        vec!["fit", "regression", "words.csv", "--inputs", "x", "--outputs", "y", "-o", "m.orff"],
        vec!["predict", "d.csv", "d.csv"],
        vec!["predict", "m.orff", "d.csv", "-o", "nowhere/out.csv"],
    ] {
        desk.fails(&failed, 1);
    }
    let (help, _) = desk.ok(&["--help"]);
    assert!(help.contains("Exit codes: 0 done; 1 the work failed"), "{help}");
}

#[test]
fn a_file_without_rows_says_so() {
    let desk = Desk::new();
    desk.write("names.csv", "x1,x2,y1,y2\n");
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    let line = ["fit", "regression", "names.csv", "--outputs", "y1,y2", "--features", "16", "-o", "m.orff"];
    let said = desk.fails(&line, 1);
    assert_eq!(said, "orff: names.csv: no rows: the file holds only column names\n");
    desk.ok(&[&line[..3], &["d.csv"], &line[3..]].concat());
    let said = desk.fails(&["predict", "m.orff", "names.csv"], 1);
    assert_eq!(said, "orff: names.csv: no rows: the file holds only column names\n");
}

#[test]
fn a_model_without_its_names_is_refused() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    desk.ok(&["-q", "fit", "regression", "d.csv", "--outputs", "y1,y2", "--features", "16", "-o", "m.orff"]);
    let whole = orff::model::Model::load(&desk.path("m.orff")).unwrap();
    let (mut unnamed, mut unread) = (whole.clone(), whole);
    unnamed.info.outputs.clear();
    unnamed.save(&desk.path("unnamed.orff")).unwrap();
    unread.info.encoding["outputs"] = serde_json::json!([]);
    unread.save(&desk.path("unread.orff")).unwrap();
    for line in [["predict", "unnamed.orff", "d.csv"], ["evaluate", "unread.orff", "d.csv"]] {
        let said = desk.fails(&line, 1);
        assert!(said.contains("the model has 2 outputs"), "{said}");
    }
}

#[test]
fn a_folder_is_no_model_and_one_megabyte_is_no_room() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    let line = ["fit", "regression", "d.csv", "--outputs", "y1,y2"];
    let said = desk.fails(&[&line[..], &["-o", "."]].concat(), 1);
    // before the work: no column and no choice was spoken of
    assert!(said.contains("-o: . is a folder") && !said.contains("features"), "{said}");
    let said = desk.fails(&[&line[..], &["-o", "m.orff", "--memory", "1"]].concat(), 2);
    assert!(said.contains("memory: expected more megabytes") && !said.contains("have room for"), "{said}");
    desk.ok(&[&line[..], &["-o", "m.orff", "--memory", "4"]].concat());
}

#[test]
fn a_column_is_not_carried_under_the_name_of_a_prediction() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    desk.ok(&["-q", "fit", "regression", "d.csv", "--outputs", "y1,y2", "--features", "16", "-o", "m.orff"]);
    let (text, _) = desk.ok(&["-q", "predict", "m.orff", "d.csv", "--keep", "x1,y1", "--std"]);
    assert!(text.starts_with("x1,y1,y1_predicted,y1_std,y2,y2_std\n"), "{text}");
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2").replacen("y1,y2", "y1_std,y1", 1));
    let said = desk.fails(&["predict", "m.orff", "d.csv", "--keep", "y1_std", "--std"], 2);
    assert!(said.contains("--keep y1_std: a column of the predictions has this name"), "{said}");
    desk.write("c.csv", "x,label\n0,a\n1,b\n0.1,a\n0.9,b\n0.2,a\n0.8,b\n");
    desk.ok(&["-q", "fit", "classification", "c.csv", "--target", "label", "--features", "16", "-o", "c.orff"]);
    let (text, _) = desk.ok(&["-q", "predict", "c.orff", "c.csv", "--keep", "label"]);
    assert!(text.starts_with("label,label_predicted\na,"), "{text}");
}

/// The posterior is read when it is asked for; whoever inspects a file wants to know that all of it is whole.
#[test]
fn a_changed_byte_anywhere_is_found_by_inspect() {
    let desk = Desk::new();
    desk.write("d.csv", &rows(60, "x1,x2,y1,y2"));
    desk.ok(&["-q", "fit", "regression", "d.csv", "--outputs", "y1,y2", "--features", "16", "-o", "m.orff"]);
    desk.ok(&["inspect", "m.orff"]);
    let whole = std::fs::read(desk.path("m.orff")).unwrap();
    let header = 8 + u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    for share in [0.02, 0.5, 0.98] {
        let mut other = whole.clone();
        other[header + (share * (whole.len() - header) as f64) as usize] ^= 4;
        std::fs::write(desk.path("other.orff"), other).unwrap();
        let said = desk.fails(&["inspect", "other.orff"], 1);
        assert!(said.contains("does not match its checksum"), "{said}");
    }
}

/// Two inputs with one scale, a lengthscale in it and in theirs.
#[test]
fn a_lengthscale_is_said_in_the_units_of_the_inputs_too() {
    let desk = Desk::new();
    let mut text = String::from("x,y,u,v\n");
    for i in 0..60 {
        let (x, y) = ((i as f64 * 0.7549) % 1.0 * 200.0, (i as f64 * 0.5698) % 1.0 * 200.0);
        text += &format!("{x},{y},{},{}\n", (y / 50.0).sin(), (x / 50.0).cos());
    }
    desk.write("d.csv", &text);
    let (_, said) = desk.ok(&["fit", "field", "d.csv", "--outputs", "u,v", "--features", "64", "-o", "m.orff"]);
    let line = said.lines().find(|line| line.contains("lengthscale")).unwrap();
    let number = |rest: &str| rest.trim().split([' ', ';']).next().unwrap().parse::<f64>().unwrap();
    let (scaled, own) =
        (number(line.split("lengthscale").nth(1).unwrap()), number(line.split("inputs;").nth(1).unwrap()));
    // coordinates that fill 200 evenly deviate by 200/√12
    assert!((own / scaled / (200.0 / 12f64.sqrt()) - 1.0).abs() < 0.05, "{line}");
}

#[test]
fn files_that_are_read_are_not_written_over() {
    let desk = Desk::new();
    let text = rows(60, "x1,x2,y1,y2");
    desk.write("d.csv", &text);
    let fit = ["fit", "regression", "d.csv", "--outputs", "y1,y2", "--features", "16", "-o"];
    desk.ok(&[&fit[..], &["m.orff"]].concat());
    let model = std::fs::read(desk.path("m.orff")).unwrap();
    for args in [
        [&fit[..], &["d.csv"]].concat(),
        [&fit[..], &["./d.csv"]].concat(),
        vec!["fit", "regression", "d*.csv", "--outputs", "y1,y2", "-o", "d.csv"],
        vec!["predict", "m.orff", "d.csv", "-o", "d.csv"],
        vec!["predict", "m.orff", "d.csv", "-o", "m.orff"],
        vec!["fit", "series", "d.csv", "-o", "d.csv"],
        vec!["plot", "m.orff", "-o", "m.orff"],
    ] {
        let said = desk.fails(&args, 2);
        assert!(said.contains("is a file that is read; say another name"), "{args:?}: {said}");
    }
    assert_eq!((desk.read("d.csv"), std::fs::read(desk.path("m.orff")).unwrap()), (text, model));
    // a model may be learned again
    desk.ok(&[&fit[..], &["m.orff"]].concat());
}

#[test]
fn many_inputs_and_many_outputs_have_models() {
    let desk = Desk::new();
    let line = |i: usize, n: usize| (0..n).map(|k| ((i * 7 + k * 3) % 11).to_string()).collect::<Vec<_>>().join(",");
    let table = |n: usize| (0..6).map(|i| line(i, n) + "\n").collect::<String>();
    desk.write("wide.csv", &table(17_000));
    let given = ["--features", "8", "--lengthscale", "300", "--ridge", "0.1", "--header", "no"];
    desk.ok(&[&["fit", "regression", "wide.csv", "--outputs", "1", "-o", "w.orff"][..], &given].concat());
    desk.write("many.csv", &table(1102));
    desk.ok(&[
        &["fit", "regression", "many.csv", "--inputs", "1,2", "--outputs", "3..1102", "-o", "o.orff"],
        &given[..],
    ]
    .concat());
    let (said, _) = desk.ok(&["predict", "o.orff", "many.csv", "--header", "no"]);
    assert_eq!(said.lines().next().unwrap().split(',').count(), 1100);
}
