//! Which rows and columns: the flags that every command about data shares.

use crate::Session;
use crate::flags::Usage;
use anyhow::Result;
use clap::{Arg, ArgMatches};
use orff::model::{LonLat, Model};
use orff::params::{Auto, Params};
use orff_table::{Encoding, Missing, Options, Select, Selector, Source};
use std::path::PathBuf;

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
        Ok(Select {
            inputs: selector(&self.inputs)?,
            ignore: selector(&self.ignore)?,
            outputs: selector(&self.outputs)?,
            weight: selector(&self.weight)?,
            errors: selector(&self.errors)?,
            missing: self.missing.parse()?,
            one_hot: self.one_hot,
            ..Select::default()
        })
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
                Ok(Some(LonLat::about(&source.head(orff::learn::SAMPLE_ROWS)?, lon, lat)?))
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

/// Opens rows for a model, with or without the outputs.
pub fn open_for(model: &Model, matches: &ArgMatches, outputs: bool, keep: Option<Selector>) -> Result<Source> {
    if orff::learn::transformer(&model.info.learner).is_some() {
        return Err(Usage(format!(
            "a model of {} has features and no outputs; load it in Python",
            model.info.learner
        ))
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
    let source = Source::with_encoding(&paths(matches), &reading.options()?, &encoding, outputs, keep)?;
    let p = model.outputs();
    if model.info.outputs.len() != p || (outputs && source.output_names().len() != p) {
        anyhow::bail!("the model has {p} outputs, but its file does not name as many; fit it again");
    }
    Ok(source)
}
