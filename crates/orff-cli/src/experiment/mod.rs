//! `orff experiment`: tables of the papers, recomputed beside the published numbers.

mod b16;
mod data;
mod i17;
mod l19;
mod levels;
mod m16;
mod mnist;
mod outliers;
mod quantiles;
mod series;
mod t17;
mod warps;

use crate::flags::Usage;
use crate::progress;
use anyhow::Result;
use clap::{Arg, ArgMatches, Command};
use std::io::Write;

/// An experiment: its name (paper, then table or figure), what it shows, and how it runs.
struct Experiment {
    name: &'static str,
    about: &'static str,
    seeds: u64,
    run: fn(u64, &mut Report) -> Result<()>,
}

const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "m16-table-1",
        about: "Minh 2016: error of kernel approximation, unbounded (plain) and bounded (tilted, trace) maps",
        seeds: 100,
        run: m16::table_1,
    },
    Experiment {
        name: "m16-table-2",
        about: "Minh 2016: reconstruction of a curl-free field from 5 % of a grid",
        seeds: 100,
        run: m16::table_2,
    },
    Experiment {
        name: "b16-figure-3",
        about: "Brault 2016: error on MNIST with 1000 rows against the number of atoms D, beside the exact kernel",
        seeds: 5,
        run: mnist::figure_3,
    },
    Experiment {
        name: "b16-figure-6",
        about: "Brault 2016: variance of the approximate kernel at a point, times D, beside its exact value and bounds",
        seeds: 5,
        run: b16::figure_6,
    },
    Experiment {
        name: "b16-mnist",
        about: "The same on all 60 000 rows of raw pixels, 10 000 characters, squared loss, orthogonal draws",
        seeds: 1,
        run: mnist::all,
    },
    Experiment { name: "mnist-best", about: "The same with a kernel of smoothed images", seeds: 1, run: mnist::best },
    Experiment {
        name: "t17-table-6-5",
        about: "Brault 2017: torques of a robot arm, one observed in each row; independent and coupled tasks, % of nMSE",
        seeds: 10,
        run: t17::table_6_5,
    },
    Experiment {
        name: "t17-table-8-1",
        about: "Brault 2017: six simulated series, sequential cross-validation of VAR(1) and of random features",
        seeds: 10,
        run: series::table_8_1,
    },
    Experiment {
        name: "t17-table-8-2",
        about: "Brault 2017: a series of 10 000 rows, sequential cross-validation against the number of atoms D",
        seeds: 3,
        run: series::table_8_2,
    },
    Experiment {
        name: "t17-table-8-3",
        about: "Brault 2017: real series (economy, gestures, climate, heart), VAR(1) and random features",
        seeds: 1,
        run: series::table_8_3,
    },
    Experiment {
        name: "t17-table-d-3",
        about: "Brault 2017: novelties in twelve sets, learned from usual rows: ROC AUC and average precision",
        seeds: 10,
        run: outliers::table_d_3,
    },
    Experiment {
        name: "t17-table-d-4",
        about: "Brault 2017: outliers in twelve sets, learned from all rows: ROC AUC and average precision",
        seeds: 10,
        run: outliers::table_d_4,
    },
    Experiment {
        name: "t17-quantiles",
        about: "Brault 2017, figures 9.1 and 9.2: all quantiles of a sine wave, by features and by the exact kernel",
        seeds: 3,
        run: quantiles::sine,
    },
    Experiment {
        name: "t17-figure-9-4",
        about: "Brault 2017: shares of rows outside the level sets of three clouds against ν, of the fit and held out",
        seeds: 10,
        run: levels::figure_9_4,
    },
    Experiment {
        name: "i17-table-1",
        about: "Ionescu 2017: error of classes of TEXT and USPS with 50 labelled rows and the graph of all",
        seeds: 10,
        run: i17::table_1,
    },
    Experiment {
        name: "i17-mnist",
        about: "Ionescu 2017, table 1: MNIST with 10 000 labelled and 50 000 unlabelled rows, 10 000 characters",
        seeds: 1,
        run: i17::mnist,
    },
    Experiment {
        name: "l19-table-1",
        about: "Letarte 2019: test error with a learned kernel about each of 10 % landmarks, centroids of the classes",
        seeds: 1,
        run: l19::table_1,
    },
    Experiment {
        name: "l19-figure-3",
        about: "Letarte 2019: test error of few features, drawn (RFF) and learned (PBRFF, OKRFF), on pairs of digits",
        seeds: 1,
        run: l19::figure_3,
    },
    Experiment {
        name: "i17-million",
        about: "Ionescu 2017, table 3, on synthetic rows: a million of them, 528 labelled, within 2 GB",
        seeds: 1,
        run: i17::million,
    },
];

/// Parts of an experiment that can be run by themselves: sets of rows, or learners.
fn parts(name: &str) -> &'static [&'static str] {
    match name {
        "i17-table-1" => &i17::PARTS,
        "i17-mnist" => &i17::LOSSES,
        "l19-table-1" => &l19::SETS,
        "l19-figure-3" => &l19::PAIRS,
        _ => &[],
    }
}

/// Prints rows of results as they come.
pub struct Report<'a> {
    out: &'a mut dyn Write,
    part: Option<&'a str>,
}

impl Report<'_> {
    /// One line: mean and standard deviation over seeds, and the published mean if there is one.
    pub fn row(&mut self, name: &str, values: &[f64], published: Option<f64>) -> Result<()> {
        self.row_to(4, name, values, published)
    }

    /// The same with so many digits.
    pub fn row_to(&mut self, digits: usize, name: &str, values: &[f64], published: Option<f64>) -> Result<()> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / (n - 1.0).max(1.0);
        let known = published.map_or("–".to_string(), |p| format!("{p:.digits$}"));
        writeln!(self.out, "{name:62} {mean:8.digits$}  {:8.digits$}  {known:>9}", variance.sqrt())?;
        Ok(self.out.flush()?)
    }

    /// What one seed gave, beside the table.
    pub fn tell(&self, name: &str, seed: u64, value: f64) {
        eprintln!("{name}, {}: {value:.4}", seed + 1);
    }

    /// Whether a set of rows is asked for.
    pub fn wants(&self, set: &str) -> bool {
        self.part.is_none_or(|part| part == set)
    }

    /// What was chosen for one seed, beside the table.
    pub fn chose(&self, name: &str, seed: u64, choice: &dyn std::fmt::Debug) {
        eprintln!("{name}, {}: {choice:?}", seed + 1);
    }

    /// What was found on the way, beside the table.
    pub fn note(&self, name: &str, found: &dyn std::fmt::Debug) {
        eprintln!("{name}: {found:?}");
    }

    /// Between two seeds: stops when the user asked to.
    pub fn pause(&self) -> Result<()> {
        if progress::interrupted() { Err(orff::Error::Interrupted.into()) } else { Ok(()) }
    }
}

/// Stops a fit when the user asked to.
pub struct Pausing;

impl orff::watch::Watch for Pausing {
    fn advance(&mut self, _done: u64) -> orff::Result<()> {
        if progress::interrupted() { Err(orff::Error::Interrupted) } else { Ok(()) }
    }
}

/// `orff experiment list`, `orff experiment run NAME`.
pub fn command() -> Command {
    let name = Arg::new("name").value_name("NAME").required(true).help("Name of the experiment, as listed");
    let seeds = Arg::new("seeds")
        .long("seeds")
        .value_name("N")
        .value_parser(clap::value_parser!(u64).range(1..))
        .help("Number of seeds to average over; by default as many as the experiment is judged on");
    let part = Arg::new("part").long("part").value_name("SET").help("Only this one of the experiment's parts");
    Command::new("experiment")
        .about("Recompute tables of the papers beside the published numbers")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(Command::new("list").about("List the experiments"))
        .subcommand(Command::new("run").about("Run one experiment").arg(name).arg(seeds).arg(part))
}

/// Runs it.
pub fn run(matches: &ArgMatches) -> Result<()> {
    let mut out = crate::progress::stdout();
    let Some(("run", matches)) = matches.subcommand() else {
        for e in EXPERIMENTS {
            writeln!(out, "{:14} {}", e.name, e.about)?;
        }
        return Ok(());
    };
    let asked = matches.get_one::<String>("name").map(String::as_str).unwrap_or_default();
    let Some(e) = EXPERIMENTS.iter().find(|e| e.name == asked) else {
        let names: Vec<_> = EXPERIMENTS.iter().map(|e| e.name).collect();
        return Err(Usage(format!("experiment: expected one of {}, got {asked}", names.join(", "))).into());
    };
    let seeds = matches.get_one::<u64>("seeds").copied().unwrap_or(e.seeds);
    let part = matches.get_one::<String>("part").map(String::as_str);
    if let Some(part) = part.filter(|part| !parts(e.name).contains(part)) {
        let known = match parts(e.name) {
            [] => format!("nothing, {} has no parts", e.name),
            some => format!("one of {}", some.join(", ")),
        };
        return Err(Usage(format!("--part: expected {known}, got {part}")).into());
    }
    writeln!(out, "{}, {seeds} seeds", e.about)?;
    writeln!(out, "{:62} {:>8}  {:>8}  {:>9}", "", "mean", "sd", "published")?;
    (e.run)(seeds, &mut Report { out: &mut out, part })
}
