//! Which rows and columns: the flags that every command about data shares.

use crate::Session;
use crate::curves::At;
use crate::flags::Usage;
use anyhow::Result;
use clap::{Arg, ArgMatches};
use orff::learn::Role;
use orff::model::{LonLat, Model};
use orff::params::{Auto, Param, Params};
use orff_table::{Column, Encoding, Missing, Options, Select, Selector, Source, Task};
use std::path::PathBuf;

/// Per cent by which lengths of a projection may be wrong before that is said: a region of some thousand kilometres.
const DISTORTION: f64 = 20.0;

orff::params! {
    /// How files are written.
    pub struct Reading {
        /// Format of the files that are read: csv, parquet, arrow, npy, npz or svmlight; auto goes by the extension.
        file_format / file_format: String = "auto".into(),
            Kind::Choice(&["auto", "csv", "parquet", "arrow", "npy", "npz", "svmlight"]);
        /// Whether the first row of a CSV file holds names.
        header / header: String = "auto".into(), Kind::Choice(&["auto", "yes", "no"]);
        /// The character between fields of a CSV file, or tab or space; found out unless given.
        delimiter / delimiter: Option<String> = None, Kind::Text;
        /// Words that stand for a missing value, separated by commas.
        missing_tokens / missing_tokens: Option<String> = None, Kind::Text;
        /// svmlight: the number of inputs; found by a first pass unless given.
        width / width: Auto<usize> = Auto::Auto, Kind::Auto(&Kind::Count { min: 1, max: 4_000_000_000 });
        /// svmlight: whether indices count from 0; found out unless given.
        zero_based / zero_based: String = "auto".into(), Kind::Choice(&["auto", "yes", "no"]);
    }
}

orff::params! {
    /// Which columns mean what.
    pub struct Columns {
        /// Input columns: names, positions or ranges such as x1..x20; all other columns unless given.
        inputs / inputs: Option<String> = None, Kind::Text;
        /// Columns that are not inputs, such as a name or a date; written as for inputs.
        ignore / ignore: Option<String> = None, Kind::Text;
        /// Output columns.
        outputs / outputs: Option<String> = None, Kind::Text;
        /// Column with the task of each row, a word or a number, where rows are long: the one output column then has the
        /// value of that task, and the tasks become the outputs. Rows with equal inputs need not be joined.
        task / task: Option<String> = None, Kind::Text;
        /// Column with the curve of each row, a word or a number, where rows are points of curves; with --at.
        id / id: Option<String> = None, Kind::Text;
        /// Column with the argument of each point, where rows are points of curves: the one output column is then its
        /// value. Rows of one id have the same inputs.
        at / at: Option<String> = None, Kind::Text;
        /// Column with the class of each row: words or numbers, at most 10000 different ones.
        target / target: Option<String> = None, Kind::Text;
        /// Labels of the target that are outliers, separated by commas; 1 unless given. The target is not learned from: it
        /// says how good the scores of held-out rows are.
        outliers / outliers: Option<String> = None, Kind::Text;
        /// Column with the weight of each row.
        weight / weight: Option<String> = None, Kind::Text;
        /// Columns with the standard error of each output; each entry then weighs 1/error².
        errors / errors: Option<String> = None, Kind::Text;
        /// Rows with missing inputs: error, drop, or mean of the column over the rows learned from. Missing outputs are
        /// not observed.
        missing / missing: String = "error".into(), Kind::Choice(&["error", "drop", "mean"]);
        /// Encode inputs that hold words, one column per word; the words are those of all rows, held out or not.
        one_hot / one_hot: bool = false, Kind::Flag;
        /// Project longitude and latitude to local metres, east and north: lonlat, or none.
        project / project: String = "none".into(), Kind::Choice(&["none", "lonlat"]);
        /// Share of the rows held out, by a hash of their number, and scored after the fit.
        test / test: f64 = 0.0, Kind::Number { min: 0.0, max: 0.9, open: false };
        /// Folds of a cross-validation before the fit on all rows.
        folds / folds: usize = 0, Kind::Count { min: 0, max: 1000 };
    }
}

/// The parameters of columns that a kind of learner has: outputs with their errors, or a target; what scores outliers learns
/// from inputs alone.
pub fn columns_of(role: Role) -> Vec<Param> {
    let classes = role.classifies();
    let fits = |p: &&Param| match p.name {
        "outputs" | "errors" => !classes && !role.detects(),
        "task" => !classes && !role.detects() && role != Role::Curves,
        "id" | "at" => role == Role::Curves,
        "target" => classes || role.detects(),
        "outliers" => role.detects(),
        "weight" => !role.detects(),
        _ => true,
    };
    Columns::SPEC.iter().filter(fits).copied().collect()
}

/// The files of a command.
pub fn files() -> Arg {
    Arg::new("files")
        .value_name("FILE")
        .required(true)
        .num_args(1..)
        .value_parser(clap::value_parser!(PathBuf))
        .help("Files with rows: CSV (.gz), Parquet, Arrow, npy, npz, svmlight; patterns; - for standard input")
}

/// The files that were given.
pub fn paths(matches: &ArgMatches) -> Vec<PathBuf> {
    matches.get_many::<PathBuf>("files").into_iter().flatten().cloned().collect()
}

/// Refuses to write over a file that is read, before any work.
pub fn spare(matches: &ArgMatches) -> anyhow::Result<()> {
    let one = |id: &str| matches.try_get_one::<PathBuf>(id).ok().flatten();
    let files = matches.try_get_many::<PathBuf>("files").ok().flatten().into_iter().flatten();
    let mut read = orff_table::expand(&files.collect::<Vec<_>>()).unwrap_or_default();
    // what fit writes is the model that others read
    let writes = matches.try_contains_id("out").is_ok();
    read.extend(["future", "config"].into_iter().filter_map(one).cloned());
    read.extend(one("model").filter(|_| writes).cloned());
    let Some(target) = one(if writes { "out" } else { "model" }) else { return Ok(()) };
    let Ok(place) = target.canonicalize() else { return Ok(()) };
    match read.iter().find(|path| path.is_file() && path.canonicalize().is_ok_and(|path| path == place)) {
        Some(path) => Err(Usage(format!("-o: {} is a file that is read; say another name", path.display())).into()),
        None => Ok(()),
    }
}

fn yes(word: &str) -> Option<bool> {
    match word {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    }
}

impl Reading {
    /// As the reader takes them.
    pub fn options(&self) -> Result<Options> {
        let delimiter = match self.delimiter.as_deref() {
            None => None,
            Some("tab" | "\\t" | "\t") => Some(b'\t'),
            Some("space") => Some(b' '),
            Some(one) if one.len() == 1 => Some(one.as_bytes()[0]),
            Some(other) => {
                return Err(Usage(format!("--delimiter: expected one character, tab or space, got {other}")).into());
            }
        };
        Ok(Options {
            format: match self.file_format.as_str() {
                "auto" => None,
                word => Some(word.parse()?),
            },
            header: yes(&self.header),
            width: self.width.fixed(),
            zero_based: yes(&self.zero_based),
            delimiter,
            missing_tokens: self
                .missing_tokens
                .as_ref()
                .map(|w| w.split(',').map(|t| t.trim().to_string()).collect()),
            ..Options::default()
        })
    }
}

impl Columns {
    /// As the reader takes them.
    pub fn select(&self) -> Result<Select> {
        let selector = |text: &Option<String>| text.as_deref().map(str::parse::<Selector>).transpose();
        // a point of a curve is an argument and a value
        let point = self.at.iter().zip(&self.outputs).next().map(|(at, output)| format!("{at},{output}"));
        let outputs = if self.target.is_some() { &self.target } else { &self.outputs };
        Ok(Select {
            inputs: selector(&self.inputs)?,
            ignore: selector(&self.ignore)?,
            outputs: selector(if point.is_some() { &point } else { outputs })?,
            keep: selector(&self.id)?,
            labels: self.target.is_some(),
            task: selector(&self.task)?,
            weight: selector(&self.weight)?,
            errors: selector(&self.errors)?,
            missing: self.missing.parse()?,
            one_hot: self.one_hot,
            ..Select::default()
        })
    }

    /// Whether rows are points of curves; refuses half of what that takes.
    pub fn points(&self) -> Result<bool> {
        let refused = match (&self.id, &self.at) {
            (None, None) => return Ok(false),
            (None, Some(_)) => "--id: say which column has the curve of each point, for example --id id",
            (Some(_), None) => "--at: say which column has the argument of each point, for example --at t",
            (Some(_), Some(_)) if self.errors.is_some() => "--errors: points of curves have weights; use --weight",
            (Some(_), Some(_)) if self.missing == "mean" && (self.test > 0.0 || self.folds > 0) => {
                "--missing mean: means of points would know those held out; use drop, or evaluate on another file"
            }
            (Some(_), Some(_)) => return Ok(true),
        };
        Err(Usage(refused.into()).into())
    }

    /// The projection that was asked for, centred on the rows.
    pub fn projection(&self, source: &Source, session: &Session) -> Result<Option<LonLat>> {
        let warn = |line: String| {
            if !session.quiet {
                crate::progress::tell(&format!("warning: {line}"));
            }
        };
        let names = source.input_names();
        let find = |words: &[&str]| names.iter().position(|n| words.contains(&n.to_lowercase().as_str()));
        let (lon, lat) = (find(&["lon", "longitude", "lng", "long"]), find(&["lat", "latitude"]));
        match (self.project.as_str(), lon, lat) {
            ("lonlat", Some(lon), Some(lat)) => {
                if lat < lon {
                    let meaning = "the first component of a field is then the one to the north";
                    warn(format!("latitude comes before longitude: {meaning}"));
                }
                let rows = source.head(orff::learn::SAMPLE_ROWS)?;
                let projection = LonLat::about(&rows, lon, lat)?;
                let wrong = 100.0 * projection.distortion(&rows);
                if wrong > DISTORTION {
                    let meaning = "local metres are for regions; learn parts of the globe one by one";
                    warn(format!(
                        "lengths to the east are wrong by up to {wrong:.0} % in these latitudes: {meaning}"
                    ));
                }
                Ok(Some(projection))
            }
            ("lonlat", ..) => {
                let names = names.join(", ");
                let hint = "expected inputs named lon/longitude and lat/latitude";
                Err(Usage(format!("--project lonlat: {hint}, got {names}")).into())
            }
            (_, Some(lon), Some(lat)) => {
                let how = "use --project lonlat to work in local metres";
                warn(format!("{} and {} look like degrees; {how}", names[lon], names[lat]));
                Ok(None)
            }
            _ => Ok(None),
        }
    }
}

/// What becomes of rows with missing inputs, where a model is applied.
pub fn missing() -> Arg {
    Arg::new("missing")
        .long("missing")
        .value_name("WORD")
        .value_parser(["error", "drop", "mean"])
        .help("Rows with missing inputs: error, drop (no prediction, no score) or mean; as in the fit unless given")
        .help_heading("Files")
}

/// The column with the task of each row, where a model is applied to long rows.
pub fn task() -> Arg {
    Arg::new("task")
        .long("task")
        .value_name("COLUMN")
        .help("Column with the task of each row (the name of an output): one value per row, that of its task")
}

/// The column with the value of the task of each row.
pub fn output() -> Arg {
    Arg::new("output")
        .long("output")
        .value_name("COLUMN")
        .requires("task")
        .help("With --task: the column with the value of the task; that of the fit unless given")
}

/// The encoding of rows that are long or not, as the flags say.
fn long(mut encoding: Encoding, model: &Model, matches: &ArgMatches, outputs: bool) -> Result<Encoding> {
    // by position where the training table had no names
    let column = |text: &String| Column {
        name: text.clone(),
        position: text.parse().ok().filter(|k| *k > 0).unwrap_or(usize::MAX >> 1),
    };
    let flag = |name: &str| matches.try_get_one::<String>(name).ok().flatten();
    match flag("task") {
        // what is predicted without a task is all of them
        None if !outputs => encoding.task = None,
        None => {}
        Some(name) => {
            let values = model.info.outputs.clone();
            match flag("output") {
                Some(value) => {
                    encoding.outputs = vec![column(value)];
                    encoding.errors.clear();
                }
                None if outputs && encoding.task.is_none() => {
                    let how = "the model was learned from a column for each output";
                    return Err(Usage(format!("--output: say which column has the value of the task; {how}")).into());
                }
                None => {}
            }
            if encoding.task.is_none() {
                encoding.outputs.truncate(1);
                encoding.errors.clear();
            }
            encoding.task = Some(Task { column: column(name), values });
        }
    }
    Ok(encoding)
}

/// What a curve of a model is called: the column of its values, where it was learned from points.
pub fn curve_name(model: &Model) -> String {
    let point = model.functions().is_ok_and(|(_, argument)| argument.name.is_some());
    let encoding: Option<Encoding> = serde_json::from_value(model.info.encoding.clone()).ok();
    let column = encoding.filter(|_| point).and_then(|e| e.outputs.last().map(|c| c.name.clone()));
    column.unwrap_or_else(|| "y".into())
}

/// Opens rows for a model, with or without the outputs.
pub fn open_for(model: &Model, matches: &ArgMatches, mut outputs: bool, keep: Option<Selector>) -> Result<Source> {
    if orff::learn::transformer(&model.info.learner).is_some() {
        return Err(Usage(format!(
            "a model of {} has features and no outputs; load it in Python",
            model.info.learner
        ))
        .into());
    }
    if model.series.is_some() {
        return Err(Usage(
            "a model of a series is scored by orff validate, and answers orff forecast and orff predict".into(),
        )
        .into());
    }
    let reading = Reading::from_values(&crate::flags::given(Reading::SPEC, matches)?)?;
    let mut encoding: Encoding = serde_json::from_value(model.info.encoding.clone()).map_err(|e| {
        anyhow::anyhow!("the model does not know how its rows were read ({e}); fit it with this command")
    })?;
    if let Some(word) = matches.get_one::<String>("missing") {
        if word == "mean" && encoding.missing != Missing::Mean {
            return Err(Usage("--missing mean: the model knows no means (fit it with --missing mean)".into()).into());
        }
        encoding.missing = word.parse()?;
    }
    let mut encoding = long(encoding, model, matches, outputs)?;
    let curves = model.functions().ok();
    let own = match At::given(matches)? {
        Some(At::Column(name)) if curves.is_some() => Some(name),
        _ => None,
    };
    if let Some(name) = &own {
        // the argument of each row is all that is read beside its inputs
        let position = name.parse().ok().filter(|k| *k > 0).unwrap_or(usize::MAX >> 1);
        encoding.outputs = vec![Column { name: name.clone(), position }];
        (encoding.weight, encoding.errors, outputs) = (None, Vec::new(), true);
    }
    if let Some(labels) = &mut encoding.labels {
        // a row without a label is not scored
        labels.required = false;
    }
    let source = Source::with_encoding(&paths(matches), &reading.options()?, &encoding, outputs, keep)?;
    if model.info.outliers.is_some() {
        return Ok(source);
    }
    if let Some((_, argument)) = curves {
        let expected = match (&own, &argument.name) {
            (Some(_), _) => 1,
            (None, Some(_)) => 2,
            (None, None) => model.outputs(),
        };
        if outputs && source.output_names().len() != expected {
            anyhow::bail!("the columns of the model are not those of its curves; fit it again");
        }
        return Ok(source);
    }
    let p = if model.info.classes.is_some() { 1 } else { model.outputs() };
    if model.info.classes.as_ref().map(|c| &c.names) != encoding.labels.as_ref().map(|l| &l.values) {
        anyhow::bail!("the classes of the model are not those of its columns; fit it again");
    }
    if model.info.outputs.len() != p || (outputs && source.output_names().len() != p) {
        anyhow::bail!("the model has {p} outputs, but its file does not name as many; fit it again");
    }
    Ok(source)
}
