//! `orff bound`: how far random features can be from their kernel.

use crate::flags::Usage;
use crate::progress::Progress;
use crate::{Session, evaluate, flags};
use anyhow::Result;
use clap::{ArgMatches, Command};
use orff::bound::{Answer, Learning, Line, Norm, Question, Scope};
use orff::linalg::with_threads;
use orff::params::Params;
use serde_json::Value;
use std::io::Write;

/// Draws of `--empirical` that does not say how many.
const DRAWS: u64 = 20;

/// `orff bound --kernel KERNEL --dimension D …`.
pub fn command() -> Command {
    let defaults = serde_json::to_value(Question::default()).unwrap_or_default();
    let mut command = Command::new("bound")
        .about("Bound the error of random features: its probability, its size, or the features needed")
        .after_help(
            "Give two of --features, --epsilon and --probability: the third is answered, by every theorem that applies, the \
             tightest first. docs/bounds.md has the theorems, their corrections and the proofs.",
        )
        .arg(flags::switch("empirical", "Measure the same by drawing atoms, as often as --draws says (20 unless given)"))
        .arg(evaluate::report_arg())
        .arg(evaluate::threads_arg());
    for param in Question::SPEC {
        let default = match &defaults[param.name] {
            Value::Object(_) => Value::String("decomposable".into()),
            other => other.clone(),
        };
        command = command.arg(flags::flag(param, Some(&default)));
    }
    command
}

/// Runs it.
pub fn run(matches: &ArgMatches, session: &Session) -> Result<()> {
    let values = flags::given(Question::SPEC, matches)?;
    let mut question = Question::from_values(&values)?;
    let empirical = matches.get_flag("empirical");
    if empirical && question.draws == 0 {
        if values.contains_key("draws") {
            return Err(Usage("--draws: expected at least 1 with --empirical, got 0".into()).into());
        }
        question.draws = DRAWS;
    }
    if question.draws == 0 && values.contains_key("seed") {
        return Err(Usage("--seed: nothing is drawn; it goes with --empirical or --draws".into()).into());
    }
    let mut watch = Progress::new(session.quiet, || (0, None));
    let threads = matches.get_one::<u16>("threads").map(|n| usize::from(*n));
    let answer = with_threads(threads, || question.answer(&mut watch))??;
    drop(watch);
    let mut out = crate::progress::stdout();
    if matches.get_one::<String>("report").is_some_and(|f| f == "json") {
        writeln!(out, "{}", serde_json::to_string_pretty(&answer)?)?;
        return Ok(());
    }
    print(&question, &answer, &mut out)
}

/// A text for people.
fn print(question: &Question, answer: &Answer, out: &mut dyn Write) -> Result<()> {
    let p = answer.constants.first().map_or(1, |c| c.outputs);
    writeln!(
        out,
        "{}: {}, {}, points of diameter {}; ‖K(x,x)‖ = {}",
        answer.kernel,
        counted(question.dimension, "input"),
        counted(p, "output"),
        question.diameter,
        short(answer.scale)
    )?;
    let features = answer.features.unwrap_or_default();
    let (epsilon, probability) = (answer.epsilon.unwrap_or_default(), answer.probability.unwrap_or_default());
    match answer.asked {
        "probability" => {
            writeln!(out, "{features} features: the error reaches ε = {epsilon} with a probability of at most")?;
        }
        "epsilon" => {
            writeln!(out, "{features} features: with a probability of at most {probability} the error reaches")?;
        }
        _ => {
            writeln!(
                out,
                "the error reaches ε = {epsilon} with a probability of at most {probability} from so many features on"
            )?;
        }
    }
    for line in &answer.bounds {
        writeln!(out, "  {:>10}  {}", value(line, answer), place(line))?;
    }
    if let Some(seen) = &answer.empirical {
        let of =
            format!("{} draws of {} atoms, largest of {} pairs of points", seen.errors.len(), seen.atoms, seen.pairs);
        match (answer.measured, answer.extrapolated) {
            (Some(measured), _) => writeln!(out, "  {:>10}  measured ({of})", number(measured, answer))?,
            (None, about) => writeln!(
                out,
                "  {:>10}  not measured, so many features are not tried: about, if errors go on falling like 1/√D ({of})",
                about.map_or("none".into(), |v| format!("{v:.2e}"))
            )?,
        }
    }
    for spread in &answer.variance {
        let exact = spread.exact.map_or("no closed form".into(), short);
        let (distance, always) = (short(spread.distance), short(spread.always));
        let measured = spread.measured.map_or(String::new(), |seen| format!("; measured {}", short(seen)));
        writeln!(out, "variance times atoms at distance {distance}: {exact}, at most {always}{measured}")?;
    }
    if let Some(learning) = &answer.learning {
        print_learning(learning, out)?;
    }
    if answer.asked == "probability" && answer.bounds.iter().all(|b| b.value == Some(1.0)) {
        writeln!(out, "no bound says anything here: more features, or a larger ε")?;
    }
    for line in &answer.bounds {
        writeln!(out, "{}: {}", line.name, line.assumptions.join("; "))?;
    }
    for refusal in &answer.refused {
        writeln!(out, "not {}: {}", refusal.name, refusal.why)?;
    }
    Ok(())
}

/// Bounds of expected losses.
fn print_learning(learning: &Learning, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "learning, loss ½‖f(x) − y‖²: κ = {}, T = {}", short(learning.kappa), short(learning.trace))?;
    let mut line = |value: f64, what: &str| writeln!(out, "  {:>10}  {what}", short(value));
    if let Some(g) = &learning.generalisation {
        let all = [
            (g.complexity, "from the ridge (T17 (7.5))"),
            (Some(g.stability), "from stability (T17 (7.6))"),
            (Some(g.norm), "from the norm (T17 Proposition 7.1)"),
        ];
        let mut gaps: Vec<(f64, &str)> = all.into_iter().filter_map(|(gap, what)| Some((gap?, what))).collect();
        gaps.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (gap, what) in gaps {
            line(gap, &format!("expected above mean loss, {what}"))?;
        }
    }
    if let Some(c) = &learning.consistency {
        line(c.estimation, "above the best risk for want of rows (T17 Proposition 7.3)")?;
        line(c.approximation, "above the best risk for want of atoms (T17 Proposition 7.3)")?;
    }
    if let Some(w) = &learning.warped {
        line(w.plain, "mean error of the kernel matrix, operator norm (I17 Proposition 3)")?;
        line(w.warped, "mean error of the warped kernel matrix (I17 Lemma 3)")?;
    }
    Ok(writeln!(out, "  assumed: {}", learning.assumptions.join("; "))?)
}

fn value(line: &Line, answer: &Answer) -> String {
    line.value.map_or_else(|| "none".into(), |v| number(v, answer))
}

fn number(v: f64, answer: &Answer) -> String {
    match answer.asked {
        "features" => format!("{v:.0}"),
        "probability" if v == 0.0 || v == 1.0 => format!("{v}"),
        _ => short(v),
    }
}

fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// Four digits that matter, at least.
pub fn short(v: f64) -> String {
    match v.abs() {
        size if size != 0.0 && !(1e-4..1e6).contains(&size) => format!("{v:.3e}"),
        size if (1e-4..0.1).contains(&size) => format!("{v:.*}", (3.0 - size.log10().floor()) as usize),
        _ => format!("{v:.4}"),
    }
}

fn place(line: &Line) -> String {
    let scope = match line.scope {
        Scope::Uniform => "all pairs of points",
        Scope::Pointwise => "one pair of points",
    };
    let norm = match line.norm {
        Norm::Operator => "operator norm",
        Norm::HilbertSchmidt => "Hilbert–Schmidt norm",
    };
    format!("{:22} {scope}, {norm} ({})", line.name, line.source)
}
