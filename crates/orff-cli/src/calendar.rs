//! Times of rows as they are written: numbers, dates, months, quarters; and how they go on.

use anyhow::{Result, bail};

const DAY: f64 = 86_400.0;

/// How times are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// 17, 17.5.
    Number,
    /// 1959Q1, 1959-Q1: quarters since year 0; whether there is a dash.
    Quarter(bool),
    /// 1959-01: months since year 0.
    Month,
    /// 1959-01-31: seconds.
    Date,
    /// The same where none is on a weekend: weekdays since Monday, 1969-12-29.
    Weekday,
    /// 1959-01-31 12:00:00: seconds; the character between date and time.
    Moment(char),
}

/// Times of rows, read.
pub struct Calendar {
    style: Style,
    /// One number per row, which grow as time does.
    pub times: Vec<f64>,
}

impl Calendar {
    /// Reads the times of all rows; `name` is their column.
    pub fn read(name: &str, texts: &[String]) -> Result<Self> {
        let styles = |text: &str| -> Option<(Style, f64)> {
            let text = text.trim();
            text.parse::<f64>().ok().filter(|v| v.is_finite()).map(|v| (Style::Number, v)).or_else(|| written(text))
        };
        let mut style = None;
        let mut times = Vec::with_capacity(texts.len());
        for (row, text) in texts.iter().enumerate() {
            let Some((own, time)) = styles(text) else {
                let how = "expected numbers, or dates such as 1959-01-31, 1959-01-31T12:00, 1959-01 or 1959Q1";
                bail!("row {}, column {name}: {text:?} is not a time ({how})", row + 1);
            };
            if *style.get_or_insert(own) != own {
                bail!("row {}, column {name}: {text:?} is written in another way than the rows before", row + 1);
            }
            times.push(time);
        }
        let read = Calendar { style: style.unwrap_or(Style::Number), times };
        Ok(if read.skips_weekends() { read.on_weekdays() } else { read })
    }

    /// Whether these are days that follow each other but for weekends: six of them would have met one.
    fn skips_weekends(&self) -> bool {
        let mut all = self.times.clone();
        all.sort_by(f64::total_cmp);
        all.dedup();
        let mut distances: Vec<f64> = all.windows(2).map(|w| w[1] - w[0]).collect();
        distances.sort_by(f64::total_cmp);
        all.len() >= 6 && distances[distances.len() / 2] == DAY && self.has_no_weekend()
    }

    fn has_no_weekend(&self) -> bool {
        self.style == Style::Date && self.times.iter().all(|t| weekday((t / DAY).floor() as i64).is_some())
    }

    /// The same days, counted without weekends.
    fn on_weekdays(&self) -> Calendar {
        let count = |t: &f64| weekday((t / DAY).floor() as i64).unwrap_or_default() as f64;
        Calendar { style: Style::Weekday, times: self.times.iter().map(count).collect() }
    }

    /// The time `steps` after the last of some rows, as they are written. How far rows are apart a single row does not tell: then those
    /// that were learned from do.
    pub fn after(&self, rows: &[usize], steps: usize, learned: Option<&Calendar>) -> String {
        if learned.is_some_and(|learned| learned.style == Style::Weekday) && self.has_no_weekend() {
            return self.on_weekdays().after(rows, steps, learned);
        }
        let mut own: Vec<f64> = rows.iter().map(|&i| self.times[i]).collect();
        let last = own.last().copied().unwrap_or(0.0);
        if let Some(learned) = learned.filter(|learned| own.len() < 2 && learned.style == self.style) {
            own.clone_from(&learned.times);
        }
        let mut distances: Vec<f64> = own.windows(2).map(|w| w[1] - w[0]).collect();
        distances.sort_by(f64::total_cmp);
        let step = distances.get(distances.len() / 2).copied().unwrap_or(1.0);
        // days of the month that are all the same, or all the last, are months apart, whatever their lengths
        let (day, clock) = (|t: f64| (t / DAY).floor() as i64, |t: f64| t.rem_euclid(DAY));
        let ends = own.iter().chain([&last]).all(|t| civil(day(*t) + 1).2 == 1);
        let same = civil(day(last)).2 <= 28 && own.iter().all(|t| civil(day(*t)).2 == civil(day(last)).2);
        let dates = matches!(self.style, Style::Date | Style::Moment(_)) && step >= 28.0 * DAY;
        if dates && (ends || same) && own.iter().all(|t| clock(*t) == clock(last)) {
            let (year, month, of_month) = civil(day(last));
            let months = (step / (30.436_875 * DAY)).round() as i64 * steps as i64;
            let first = |months: i64| days(months.div_euclid(12), months.rem_euclid(12) + 1, 1);
            let at = year * 12 + month - 1 + months;
            let then = if ends { first(at + 1) - 1 } else { first(at) + of_month - 1 };
            return self.write(then as f64 * DAY + clock(last));
        }
        self.write(last + step * steps as f64)
    }

    /// All its rows.
    pub fn rows(&self) -> Vec<usize> {
        (0..self.times.len()).collect()
    }

    /// The time of a row, as it is written.
    pub fn of(&self, row: usize) -> Option<String> {
        self.times.get(row).map(|&time| self.write(time))
    }

    fn write(&self, time: f64) -> String {
        let date = |time: f64| {
            let (year, month, day) = civil((time / DAY).floor() as i64);
            format!("{year:04}-{month:02}-{day:02}")
        };
        match self.style {
            Style::Number => format!("{time}"),
            Style::Quarter(dash) => {
                let at = time.round() as i64;
                format!("{:04}{}Q{}", at.div_euclid(4), if dash { "-" } else { "" }, at.rem_euclid(4) + 1)
            }
            Style::Month => {
                let at = time.round() as i64;
                format!("{:04}-{:02}", at.div_euclid(12), at.rem_euclid(12) + 1)
            }
            Style::Date => date(time),
            Style::Weekday => {
                let at = time.round() as i64;
                date((at.div_euclid(5) * 7 + at.rem_euclid(5) - 3) as f64 * DAY)
            }
            Style::Moment(between) => {
                let seconds = time.rem_euclid(DAY).floor() as u64;
                format!("{}{between}{:02}:{:02}:{:02}", date(time), seconds / 3600, seconds / 60 % 60, seconds % 60)
            }
        }
    }
}

/// A date, a month or a quarter, as a number.
fn written(text: &str) -> Option<(Style, f64)> {
    if let Some((year, quarter)) = text.split_once(['Q', 'q']) {
        let dash = year.ends_with('-');
        let (year, quarter) = (year.trim_end_matches('-').parse::<i64>().ok()?, quarter.parse::<i64>().ok()?);
        return (1..=4).contains(&quarter).then(|| (Style::Quarter(dash), (year * 4 + quarter - 1) as f64));
    }
    let (date, between, clock) = match text.find(['T', ' ']) {
        None => (text, None, ""),
        Some(at) => (&text[..at], text[at..].chars().next(), &text[at + 1..]),
    };
    let parts: Vec<i64> = date.split('-').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match (parts[..].as_ref(), between) {
        ([year, month], None) if (1..=12).contains(month) => Some((Style::Month, (year * 12 + month - 1) as f64)),
        ([year, month, day], _) if (1..=12).contains(month) && (1..=31).contains(day) => {
            let midnight = days(*year, *month, *day) as f64 * DAY;
            let Some(between) = between else { return Some((Style::Date, midnight)) };
            let parts: Vec<f64> =
                clock.trim_end_matches('Z').split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
            let (hour, minute) = (parts.first()?, parts.get(1).copied().unwrap_or(0.0));
            let second = parts.get(2).copied().unwrap_or(0.0);
            let fits = (0.0..25.0).contains(hour) && (0.0..60.0).contains(&minute) && (0.0..61.0).contains(&second);
            fits.then(|| (Style::Moment(between), midnight + 3600.0 * hour + 60.0 * minute + second))
        }
        _ => None,
    }
}

/// Weekdays since Monday, 1969-12-29, of so many days since 1970-01-01; none of weekends.
fn weekday(days: i64) -> Option<i64> {
    let (week, day) = ((days + 3).div_euclid(7), (days + 3).rem_euclid(7));
    (day < 5).then_some(week * 5 + day)
}

/// Days since 1970-01-01 (Hinnant's count: years from March, eras of 400 of them).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of so many days since 1970-01-01.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * shifted + 2) / 5 + 1, if shifted < 10 { shifted + 3 } else { shifted - 9 });
    (era * 400 + year + i64::from(month <= 2), month, day)
}
