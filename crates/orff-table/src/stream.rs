//! Bytes of text files: counted for progress, unzipped, without byte-order mark, with a first stretch to look at.

use crate::error::{Error, Result};
use flate2::read::MultiGzDecoder;
use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How many bytes are looked at to find delimiter, header and kinds.
const LOOK: usize = 1 << 18;
/// At least this many lines are looked at, if they fit in `LOOK_MOST` bytes.
const LOOK_LINES: usize = 3;
const LOOK_MOST: usize = 1 << 26;
/// A row longer than this is taken for a quote that is not closed.
const LONGEST: u64 = 1 << 28;

pub(crate) type Bytes = Box<dyn Read + Send>;

/// A reader that adds the bytes it delivers to a counter.
pub(crate) struct Counted<R> {
    pub inner: R,
    pub count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.count.fetch_add(n as u64, Relaxed);
        Ok(n)
    }
}

/// A text file: its first stretch, and the rest still to be read.
pub(crate) struct Stream {
    pub file: String,
    pub head: Vec<u8>,
    /// The head is the whole file.
    pub whole: bool,
    rest: Bytes,
}

impl Stream {
    pub fn new(file: &str, raw: Bytes) -> Result<Self> {
        let mut raw = BufReader::with_capacity(1 << 16, raw);
        let mut magic = Vec::new();
        raw.by_ref().take(2).read_to_end(&mut magic).map_err(|e| failed(file, e))?;
        let zipped = magic == [0x1f, 0x8b];
        let joined = Cursor::new(magic).chain(raw);
        let mut rest: Bytes = if zipped { Box::new(MultiGzDecoder::new(joined)) } else { Box::new(joined) };
        let (mut head, mut whole, mut goal) = (Vec::new(), false, LOOK);
        loop {
            let want = (goal - head.len()) as u64;
            let got = rest.by_ref().take(want).read_to_end(&mut head).map_err(|e| failed(file, e))?;
            if (got as u64) < want {
                whole = true;
                break;
            }
            let ends = |end: u8| head.iter().filter(|&&b| b == end).take(LOOK_LINES).count();
            if ends(b'\n').max(ends(b'\r')) >= LOOK_LINES || goal >= LOOK_MOST {
                break;
            }
            goal *= 4;
        }
        if head.starts_with(&[0xef, 0xbb, 0xbf]) {
            head.drain(..3);
        }
        if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
            return Err(Error::file(file, "is UTF-16 text (save it as UTF-8)"));
        }
        if head.contains(&0) {
            return Err(Error::file(file, "is not a text file: it contains zero bytes"));
        }
        if head.iter().all(|b| b.is_ascii_whitespace()) && whole {
            return Err(Error::file(file, "the file is empty"));
        }
        if !head.contains(&b'\n') && head.contains(&b'\r') {
            feed_lines(&mut head);
            rest = Box::new(Returns(rest));
        }
        Ok(Stream { file: file.into(), head, whole, rest })
    }

    /// The whole text from its first byte.
    pub fn into_read(self) -> Bytes {
        Box::new(Cursor::new(self.head).chain(self.rest))
    }
}

/// Text whose lines end with carriage returns alone, as spreadsheets on old Macintoshes write them: given newlines.
struct Returns<R>(R);

impl<R: Read> Read for Returns<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.0.read(buf)?;
        feed_lines(&mut buf[..n]);
        Ok(n)
    }
}

fn feed_lines(text: &mut [u8]) {
    text.iter_mut().filter(|b| **b == b'\r').for_each(|b| *b = b'\n');
}

/// Says what a failed read means.
pub(crate) fn failed(file: &str, e: io::Error) -> Error {
    match e.kind() {
        io::ErrorKind::UnexpectedEof => Error::file(file, "the compressed data ends early (is the file truncated?)"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            Error::file(file, format!("the compressed data is damaged ({e})"))
        }
        io::ErrorKind::IsADirectory => Error::file(file, "is a directory (name its files, as in \"dir/*.csv\")"),
        io::ErrorKind::Other if e.get_ref().is_some_and(|e| e.is::<TooLong>()) => Error::file(file, e.to_string()),
        _ => Error::io(file, e),
    }
}

#[derive(Debug, thiserror::Error)]
#[error("a row is longer than {} MB (is a quote not closed?)", LONGEST >> 20)]
struct TooLong;

/// A reader that refuses to feed a single row without end.
pub(crate) struct Fed<R> {
    inner: R,
    fed: u64,
    /// Where the last complete row ended.
    row: Arc<AtomicU64>,
}

impl<R> Fed<R> {
    pub fn new(inner: R) -> (Self, Arc<AtomicU64>) {
        let row = Arc::new(AtomicU64::new(0));
        (Fed { inner, fed: 0, row: row.clone() }, row)
    }
}

impl<R: Read> Read for Fed<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.fed.saturating_sub(self.row.load(Relaxed)) > LONGEST {
            return Err(io::Error::other(TooLong));
        }
        let n = self.inner.read(buf)?;
        self.fed += n as u64;
        Ok(n)
    }
}

/// Text whose columns are separated by runs of blanks, rewritten so that one space separates them.
pub(crate) struct Squeezed<R> {
    inner: R,
    raw: Vec<u8>,
    ready: Vec<u8>,
    at: usize,
    state: Squeeze,
}

/// Where the rewriting of blanks stands.
pub(crate) struct Squeeze {
    blank: bool,
    quoted: bool,
    fresh: bool,
}

impl Squeeze {
    pub fn new() -> Self {
        Squeeze { blank: false, quoted: false, fresh: true }
    }

    pub fn push(&mut self, from: &[u8], to: &mut Vec<u8>) {
        for &b in from {
            match b {
                b' ' | b'\t' if !self.quoted => self.blank = true,
                b'\n' | b'\r' if !self.quoted => {
                    (self.blank, self.fresh) = (false, true);
                    to.push(b);
                }
                b => {
                    if std::mem::take(&mut self.blank) && !self.fresh {
                        to.push(b' ');
                    }
                    self.fresh = false;
                    self.quoted ^= b == b'"';
                    to.push(b);
                }
            }
        }
    }
}

impl<R: Read> Squeezed<R> {
    pub fn new(inner: R) -> Self {
        Squeezed { inner, raw: vec![0; 1 << 16], ready: Vec::new(), at: 0, state: Squeeze::new() }
    }
}

impl<R: Read> Read for Squeezed<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            self.ready.clear();
            self.at = 0;
            match self.inner.read(&mut self.raw) {
                Ok(0) => return Ok(0),
                Ok(n) => self.state.push(&self.raw[..n], &mut self.ready),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        let n = buf.len().min(self.ready.len() - self.at);
        buf[..n].copy_from_slice(&self.ready[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}
