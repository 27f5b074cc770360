//! Potentials as columns: differences give the predicted field, its value at the centre included.

use crate::desk::*;

const STEP: f64 = 1e-4;

/// A model of the field f, with a mean far from zero, at 120 points of a cube.
fn fitted(desk: &Desk, d: usize, kernel: &str, f: impl Fn(&[f64]) -> Vec<f64>) {
    let (inputs, outputs) = (&["x", "y", "z"][..d], &["u", "v", "w"][..d]);
    let mut text = format!("{},{}\n", inputs.join(","), outputs.join(","));
    for i in 0..120 {
        let x: Vec<f64> = [0.7548776662, 0.5698402910, 0.4301597090][..d]
            .iter()
            .map(|step| (i as f64 * step) % 1.0 * 2.0)
            .collect();
        let row: Vec<String> = x.iter().chain(&f(&x)).map(f64::to_string).collect();
        text += &format!("{}\n", row.join(","));
    }
    desk.write("d.csv", &text);
    let outputs = outputs.join(",");
    let line = ["-q", "fit", "field", "d.csv", "--outputs", &outputs, "--kernel", kernel, "--features", "200"];
    desk.ok(&[&line[..], &["-o", "m.orff"]].concat());
}

/// The field predicted at three places, and ∂(potential q)/∂xₖ there by central differences: [place][q][k].
fn differences(desk: &Desk, d: usize, word: &str) -> (Vec<Vec<f64>>, Vec<Vec<Vec<f64>>>, String) {
    let mut text = format!("{}\n", ["x", "y", "z"][..d].join(","));
    let places = [[0.3, 1.1, 0.8], [1.7, 0.4, 1.2], [0.9, 0.9, 0.2]];
    for place in places {
        for (k, sign) in [(0, 0.0)].into_iter().chain((0..d).flat_map(|k| [(k, 1.0), (k, -1.0)])) {
            let mut x = place;
            x[k] += sign * STEP;
            let row: Vec<String> = x[..d].iter().map(f64::to_string).collect();
            text += &format!("{}\n", row.join(","));
        }
    }
    desk.write("near.csv", &text);
    let (_, said) = desk.ok(&["predict", "m.orff", "near.csv", "--also", word, "-o", "out.csv"]);
    let rows: Vec<Vec<f64>> =
        desk.read("out.csv").lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    let about: Vec<&[Vec<f64>]> = rows.chunks(1 + 2 * d).collect();
    let field = about.iter().map(|near| near[0][..d].to_vec()).collect();
    let slope = |near: &[Vec<f64>], q: usize, k: usize| (near[1 + 2 * k][q] - near[2 + 2 * k][q]) / (2.0 * STEP);
    let slopes = about
        .iter()
        .map(|near| (d..rows[0].len()).map(|q| (0..d).map(|k| slope(near, q, k)).collect()).collect())
        .collect();
    (field, slopes, said)
}

fn same(field: &[Vec<f64>], found: impl Iterator<Item = Vec<f64>>, what: &str) {
    for (f, g) in field.iter().zip(found) {
        assert!(f.iter().zip(&g).all(|(f, g)| (f - g).abs() < 1e-5), "{what}: {f:?}, by differences {g:?}");
    }
}

#[test]
fn the_gradient_of_a_potential_is_the_predicted_field() {
    let desk = Desk::new();
    fitted(&desk, 2, "curl-free", |x| vec![2.0 * x[0] + x[1] + 3.0, x[0] - 2.0 * x[1] - 1.0]);
    let (field, slopes, said) = differences(&desk, 2, "potential");
    same(&field, slopes.iter().map(|s| s[0].clone()), "potential");
    assert!(!said.contains("part"), "{said}");
    // the colours of a picture are those of the same potential: it falls and rises by more than its waves
    let ticks = |constant: f64| -> Vec<String> {
        fitted(&desk, 2, "curl-free", |x| vec![(3.0 * x[0]).cos() + constant, 0.0 * x[1]]);
        desk.ok(&["plot", "m.orff", "-o", "m.svg", "--background", "potential"]);
        let svg = desk.read("m.svg");
        svg.split("</text>").filter_map(|t| t.rsplit('>').next()).map(|t| t.trim().to_string()).collect()
    };
    assert!(ticks(0.0) != ticks(50.0) && ticks(50.0).iter().any(|t| t == "20" || t == "40"), "{:?}", ticks(50.0));
}

#[test]
fn a_stream_function_and_a_vector_potential_give_the_predicted_field() {
    let desk = Desk::new();
    fitted(&desk, 2, "div-free", |x| vec![x[1] + 3.0, 2.0 - x[0]]);
    let (field, slopes, said) = differences(&desk, 2, "stream-function");
    same(&field, slopes.iter().map(|s| vec![s[0][1], -s[0][0]]), "stream function");
    assert!(!said.contains("part"), "{said}");
    fitted(&desk, 3, "div-free", |x| vec![x[1] + 1.0, x[2] - 2.0, x[0] + 3.0]);
    let (field, slopes, _) = differences(&desk, 3, "vector-potential");
    let curl = |a: &[Vec<f64>]| vec![a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]];
    same(&field, slopes.iter().map(|a| curl(a)), "vector potential");
}

/// A field with both parts: the potential is that of the gradient part, and that is said.
#[test]
fn the_potential_of_a_part_is_said_to_be_one() {
    let desk = Desk::new();
    fitted(&desk, 2, "helmholtz", |x| vec![2.0 * x[0] + x[1] + 3.0, 2.0 * x[1] - x[0]]);
    for (word, part) in [("potential", "gradient"), ("stream-function", "rotation")] {
        let (_, slopes, said) = differences(&desk, 2, word);
        assert!(said.starts_with(&format!("{word}: that of the {part} part, which is zero at the centre")), "{said}");
        let (field, _, said) = differences(&desk, 2, &format!("{part}-part"));
        assert!(!said.contains("that of the"), "{said}");
        let part: Vec<Vec<f64>> = parts(&desk, field.len());
        let turned = |s: &Vec<f64>| if word == "potential" { s.clone() } else { vec![s[1], -s[0]] };
        same(&part, slopes.iter().map(|s| turned(&s[0])), word);
    }
    let (_, said) = desk.ok(&["plot", "m.orff", "-o", "m.svg", "--background", "stream"]);
    assert!(said.starts_with("stream: that of the rotation part"), "{said}");
}

/// The columns of a part in the last predictions, at the places themselves.
fn parts(desk: &Desk, places: usize) -> Vec<Vec<f64>> {
    let out = desk.read("out.csv");
    let rows: Vec<Vec<f64>> =
        out.lines().skip(1).map(|l| l.split(',').skip(2).map(|v| v.parse().unwrap()).collect()).collect();
    rows.chunks(rows.len() / places).map(|near| near[0].clone()).collect()
}
