//! The arguments of a name, by position or by name; and what a misspelt name may have meant.

use super::syntax::{Argument, Fault, Node, Read};

/// The arguments of a name, each under the name it has or that its position gives it.
pub(super) struct Call<'a> {
    at: usize,
    name: &'a str,
    bound: Vec<(&'a str, &'a Node)>,
}

impl<'a> Call<'a> {
    pub fn new(at: usize, name: &'a str, arguments: &'a [Argument], names: &[&'a str]) -> Read<Self> {
        let open = names.last() == Some(&"…");
        let names = &names[..names.len() - open as usize];
        let mut call = Call { at, name, bound: Vec::with_capacity(arguments.len()) };
        for (i, argument) in arguments.iter().enumerate() {
            let at = argument.value.at;
            let bound = match &argument.name {
                Some(given) => *names.iter().find(|known| *known == given).ok_or_else(|| {
                    let cure = advice(given, names);
                    Fault::new(at, format!("{name} has no argument \"{given}\" (given at character {at}){cure}"))
                })?,
                None if i > 0 && arguments[i - 1].name.is_some() => {
                    return Err(Fault::new(
                        at,
                        format!("the argument at character {at} follows a named one; name it"),
                    ));
                }
                None => match names.get(i) {
                    Some(known) => known,
                    None if open => names[names.len() - 1],
                    None => {
                        let most = if names.is_empty() { "none".into() } else { names.join(", ") };
                        let got = arguments.len();
                        return Err(Fault::new(
                            at,
                            format!("{name} takes {most}, got {got} arguments (at character {at})"),
                        ));
                    }
                },
            };
            let repeats = open && bound == names[names.len() - 1];
            if !repeats && call.get(bound).is_some() {
                return Err(Fault::new(at, format!("{bound} of {name} is given twice, again at character {at}")));
            }
            call.bound.push((bound, &argument.value));
        }
        Ok(call)
    }

    pub fn rest(&self, name: &str) -> impl Iterator<Item = &'a Node> {
        self.bound.iter().filter(move |(bound, _)| *bound == name).map(|(_, node)| *node)
    }

    pub fn get(&self, name: &str) -> Option<&'a Node> {
        self.rest(name).next()
    }

    pub fn need(&self, name: &str) -> Read<&'a Node> {
        self.get(name).ok_or_else(|| {
            Fault::new(self.at, format!("{} at character {} needs its argument {name}", self.name, self.at))
        })
    }
}

/// The nearest known name, or all of them.
pub(super) fn advice(name: &str, known: &[&str]) -> String {
    let near = known.iter().map(|k| (distance(name, k), k)).min_by_key(|(distance, _)| *distance);
    match near {
        Some((distance, k)) if distance <= 1 + k.len() / 4 => format!("; did you mean {k}?"),
        Some(_) => format!("; expected one of {}", known.join(", ")),
        None => String::new(),
    }
}

/// Letters to change, insert or drop (Levenshtein); a name of absurd length is simply far.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.to_lowercase().chars().collect(), b.chars().collect());
    if a.len() > 2 * b.len() {
        return a.len();
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let next = (diagonal + (x != y) as usize).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    row[b.len()]
}
