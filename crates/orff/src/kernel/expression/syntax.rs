//! Text → tree: sums, products, numbers, lists and names with arguments, each with its place.

/// Deepest nesting of parentheses, brackets and kernels.
pub(in crate::kernel) const DEPTH: usize = 64;

/// Longest name.
const NAME: usize = 64;

/// What is wrong with a text, and at which character (from 1).
#[derive(Debug)]
pub(super) struct Fault {
    pub at: usize,
    pub problem: String,
}

impl Fault {
    pub fn new(at: usize, problem: impl Into<String>) -> Self {
        Fault { at, problem: problem.into() }
    }

    pub fn too_deep(at: usize) -> Self {
        Fault::new(at, format!("nested deeper than {DEPTH} at character {at}"))
    }
}

pub(super) type Read<T> = Result<T, Fault>;

/// A part of an expression and its first character (from 1).
#[derive(Debug)]
pub(super) struct Node {
    pub at: usize,
    pub form: Form,
}

#[derive(Debug)]
pub(super) enum Form {
    Number(f64),
    Name(String, Vec<Argument>),
    List(Vec<Node>),
    /// Two terms or more.
    Sum(Vec<Node>),
    /// Two factors or more.
    Product(Vec<Node>),
}

#[derive(Debug)]
pub(super) struct Argument {
    pub name: Option<String>,
    pub value: Node,
}

/// The tree of a whole text. Time and memory linear in its length.
pub(super) fn read(text: &[char]) -> Read<Node> {
    let mut reader = Reader { text, next: 0, depth: 0 };
    reader.skip();
    if reader.next == text.len() {
        return Err(Fault::new(1, "expected a kernel such as curl-free or \"gaussian(0.5)\", got an empty text"));
    }
    let node = reader.sum()?;
    match reader.peek() {
        None => Ok(node),
        Some(')') => Err(reader.fault("is not opened by a \"(\"")),
        Some(_) => Err(reader.fault("follows a complete kernel; expected +, * or the end")),
    }
}

struct Reader<'a> {
    text: &'a [char],
    next: usize,
    depth: usize,
}

impl Reader<'_> {
    fn sum(&mut self) -> Read<Node> {
        self.chain('+', Form::Sum, |r| r.chain('*', Form::Product, Reader::atom))
    }

    /// part (sign part)*: a chain of one is the part itself.
    fn chain(&mut self, sign: char, form: fn(Vec<Node>) -> Form, part: fn(&mut Self) -> Read<Node>) -> Read<Node> {
        let first = part(self)?;
        if self.peek() != Some(sign) {
            return Ok(first);
        }
        let at = first.at;
        let mut parts = vec![first];
        while self.accept(sign) {
            parts.push(part(self)?);
        }
        Ok(Node { at, form: form(parts) })
    }

    fn atom(&mut self) -> Read<Node> {
        let at = self.here();
        let form = match self.peek() {
            Some('(') => return self.within('(', ')', Reader::sum),
            Some('[') => Form::List(self.within('[', ']', |r| r.listed(']', Reader::atom))?),
            Some(c) if c.is_ascii_digit() || matches!(c, '.' | '-') => Form::Number(self.number()?),
            Some(c) if c.is_ascii_alphabetic() => {
                let name = self.word()?;
                let arguments = match self.peek() {
                    Some('(') => self.within('(', ')', |r| r.listed(')', Reader::argument))?,
                    _ => Vec::new(),
                };
                Form::Name(name, arguments)
            }
            Some(_) => return Err(self.fault("is not the start of a kernel, a number or a \"(\"")),
            None => {
                return Err(Fault::new(at, format!("expected a kernel or a number at character {at}, got the end")));
            }
        };
        Ok(Node { at, form })
    }

    /// `name=value` or a value.
    fn argument(&mut self) -> Read<Argument> {
        let start = self.next;
        if self.peek().is_some_and(|c| c.is_ascii_alphabetic()) {
            let name = self.word()?;
            if self.accept('=') {
                return Ok(Argument { name: Some(name), value: self.sum()? });
            }
            self.next = start;
        }
        Ok(Argument { name: None, value: self.sum()? })
    }

    /// What stands between an opening sign and its closing one.
    fn within<T>(&mut self, open: char, close: char, inner: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let opened = self.here();
        if self.depth == DEPTH {
            return Err(Fault::too_deep(opened));
        }
        self.depth += 1;
        self.accept(open);
        let inner = inner(self)?;
        self.depth -= 1;
        if self.accept(close) {
            return Ok(inner);
        }
        match self.peek() {
            None => Err(Fault::new(opened, format!("the \"{open}\" at character {opened} is not closed"))),
            Some(_) => Err(self.fault(&format!("stands where a \"{close}\" is expected"))),
        }
    }

    /// Parts between commas, up to the closing sign (which is left); none at all is a list too.
    fn listed<T>(&mut self, close: char, part: fn(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut parts = Vec::new();
        if self.peek() == Some(close) {
            return Ok(parts);
        }
        loop {
            parts.push(part(self)?);
            if !self.accept(',') {
                return Ok(parts);
            }
        }
    }

    /// A letter, then letters, digits, `-` and `_`.
    fn word(&mut self) -> Read<String> {
        let (start, at) = (self.next, self.here());
        while self.text.get(self.next).is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
            self.next += 1;
        }
        if self.next - start > NAME {
            return Err(Fault::new(at, format!("the name at character {at} is longer than {NAME} characters")));
        }
        Ok(self.text[start..self.next].iter().collect())
    }

    /// `-`? digits and a point, then possibly an exponent.
    fn number(&mut self) -> Read<f64> {
        let (start, at) = (self.next, self.here());
        self.next += 1;
        while let Some(&c) = self.text.get(self.next) {
            let exponent_sign = matches!(c, '+' | '-') && matches!(self.text[self.next - 1], 'e' | 'E');
            if !(c.is_ascii_alphanumeric() || c == '.' || exponent_sign) {
                break;
            }
            self.next += 1;
        }
        let word: String = self.text[start..self.next].iter().collect();
        match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ if word == "-" => Err(Fault::new(at, format!("\"-\" at character {at}: kernels are not subtracted"))),
            _ => {
                let shown: String = word.chars().take(NAME).collect();
                Err(Fault::new(at, format!("\"{shown}\" at character {at} is not a finite number")))
            }
        }
    }

    fn skip(&mut self) {
        while self.text.get(self.next).is_some_and(|c| c.is_whitespace()) {
            self.next += 1;
        }
    }

    fn peek(&mut self) -> Option<char> {
        self.skip();
        self.text.get(self.next).copied()
    }

    fn accept(&mut self, sign: char) -> bool {
        let is = self.peek() == Some(sign);
        self.next += is as usize;
        is
    }

    /// The number of the next character that is not white space.
    fn here(&mut self) -> usize {
        self.skip();
        self.next + 1
    }

    /// A complaint about the next character.
    fn fault(&mut self, complaint: &str) -> Fault {
        let at = self.here();
        let sign = self.text[self.next];
        let cure = match sign {
            '·' | '×' | '∘' => " (write * for a product)",
            '−' | '–' => " (write - for a negative number; kernels are not subtracted)",
            '-' => " (kernels are not subtracted)",
            _ => "",
        };
        Fault::new(at, format!("\"{}\" at character {at} {complaint}{cure}", sign.escape_debug()))
    }
}
