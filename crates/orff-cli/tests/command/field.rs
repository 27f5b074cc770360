//! Fields: derivatives, projection, pictures.

use crate::desk::*;

#[test]
fn a_field_is_fitted_and_drawn() {
    let desk = Desk::new();
    let mut text = String::from("x,y,u,v\n");
    for i in 0..150 {
        // the gradient of sin(x)·cos(y)
        let (x, y) = ((i as f64 * 0.7548776662) % 1.0 * 3.0, (i as f64 * 0.5698402910) % 1.0 * 3.0);
        text += &format!("{x},{y},{},{}\n", x.cos() * y.cos(), -x.sin() * y.sin());
    }
    desk.write("wind.csv", &text);
    desk.ok(&[
        "fit",
        "field",
        "wind.csv",
        "--inputs",
        "x,y",
        "--outputs",
        "u,v",
        "--kernel",
        "curl-free",
        "--features",
        "300",
        "-o",
        "field.orff",
    ]);
    desk.ok(&["plot", "field.orff", "-o", "field.svg", "--background", "potential", "--style", "streamlines"]);
    assert!(desk.read("field.svg").contains("potential"));
    let said = desk.fails(&["plot", "field.orff", "-o", "field.png"], 2);
    assert!(said.contains("expected a name that ends in .svg"), "{said}");
    let said = desk.fails(&["fit", "field", "wind.csv", "--inputs", "x,y,u", "--outputs", "v", "-o", "f.orff"], 2);
    assert!(said.contains("as many outputs as inputs"), "{said}");
}

#[test]
fn degrees_are_noticed_and_projected() {
    let desk = Desk::new();
    let mut text = String::from("lon,lat,u,v\n");
    for i in 0..60 {
        let (lon, lat) = (10.0 + (i as f64 * 0.7549) % 1.0, 50.0 + (i as f64 * 0.5698) % 1.0);
        text += &format!("{lon},{lat},{},{}\n", lat - 50.0, 10.0 - lon);
    }
    desk.write("wind.csv", &text);
    let line = ["fit", "field", "wind.csv", "--outputs", "u,v", "--features", "64", "-o", "m.orff"];
    let (_, said) = desk.ok(&line);
    assert!(said.contains("use --project lonlat"), "{said}");
    let (_, said) = desk.ok(&[&line[..], &["--project", "lonlat"]].concat());
    assert!(!said.contains("use --project"), "{said}");
    // both where it is said and where it is kept
    let lengths = |text: &str| text.lines().any(|l| l.contains("lengthscale ") && l.contains(" in metres)"));
    assert!(lengths(&said) && !said.contains("own units"), "{said}");
    let (text, _) = desk.ok(&["inspect", "m.orff"]);
    assert!(text.contains("local metres about 10."), "{text}");
    assert!(lengths(&text) && !text.contains("own units"), "{text}");
    desk.ok(&["evaluate", "m.orff", "wind.csv"]);
    assert!(!said.contains("wrong by"), "{said}");
    // cos 80° is 80 % less than cos 30°, the origin's
    desk.write("globe.csv", "lon,lat,u,v\n10,-20,1,0\n11,30,0,1\n12,80,1,1\n10,30,2,1\n");
    let globe = ["fit", "field", "globe.csv", "--outputs", "u,v", "--features", "64", "-o", "m.orff"];
    let (_, said) = desk.ok(&[&globe[..], &["--project", "lonlat"]].concat());
    assert!(said.contains("wrong by up to 80 % in these latitudes"), "{said}");
}

#[test]
fn a_field_gives_its_derivatives_and_potentials() {
    let desk = Desk::new();
    let mut text = String::from("x,y,u,v\n");
    for i in 0..100 {
        let (x, y) = ((i as f64 * 0.7549) % 1.0 * 2.0, (i as f64 * 0.5698) % 1.0 * 2.0);
        text += &format!("{x},{y},{},{}\n", 2.0 * x + y, x - 2.0 * y); // the gradient of x² + xy − y²
    }
    desk.write("d.csv", &text);
    desk.ok(&[
        "-q",
        "fit",
        "field",
        "d.csv",
        "--outputs",
        "u,v",
        "--kernel",
        "curl-free",
        "--features",
        "200",
        "-o",
        "m.orff",
    ]);
    desk.ok(&["-q", "predict", "m.orff", "d.csv", "--also", "jacobian,curl,divergence,potential", "-o", "out.csv"]);
    let out = desk.read("out.csv");
    assert!(out.starts_with("u,v,du_dx,du_dy,dv_dx,dv_dy,curl,divergence,potential\n"), "{out}");
    let row: Vec<f64> = out.lines().nth(50).unwrap().split(',').map(|v| v.parse().unwrap()).collect();
    assert!((row[2] - 2.0).abs() < 0.1 && (row[3] - 1.0).abs() < 0.1 && row[6].abs() < 1e-9, "{row:?}");
}

#[test]
fn a_projected_field_has_derivatives_per_metre() {
    let desk = Desk::new();
    let mut text = String::from("lon,lat,u,v\n");
    for i in 0..80 {
        // across the meridian of 180°: u grows by 1 per degree to the north, v by 2 per degree to the east
        let (east, lat) = ((i as f64 * 0.7549) % 1.0 - 0.5, 60.0 + (i as f64 * 0.5698) % 1.0 - 0.5);
        let lon = if east < 0.0 { 180.0 + east } else { east - 180.0 };
        text += &format!("{lon},{lat},{},{}\n", lat - 60.0, 2.0 * east);
    }
    desk.write("d.csv", &text);
    desk.ok(&[
        "-q",
        "fit",
        "field",
        "d.csv",
        "--outputs",
        "u,v",
        "--features",
        "200",
        "--project",
        "lonlat",
        "-o",
        "m.orff",
    ]);
    desk.ok(&["-q", "predict", "m.orff", "d.csv", "--also", "jacobian", "-o", "out.csv"]);
    let degree = 6_371_008.8_f64.to_radians();
    let out = desk.read("out.csv");
    assert!(out.starts_with("u,v,du_deast,du_dnorth,dv_deast,dv_dnorth\n"), "{out}");
    for line in out.lines().skip(10).take(20) {
        let row: Vec<f64> = line.split(',').map(|v| v.parse().unwrap()).collect();
        // u, v, du/deast, du/dnorth, dv/deast, dv/dnorth
        assert!((row[3] * degree - 1.0).abs() < 0.2 && row[2].abs() * degree < 0.3, "{line}");
        assert!((row[4] * degree * 60f64.to_radians().cos() - 2.0).abs() < 0.4, "{line}");
    }
}

/// (x² + y, y² − x) on a square: the variances of (x², y²) and of (y, −x) are 8/45 and 2/3.
#[test]
fn the_energies_of_a_field_are_those_of_its_parts() {
    let desk = Desk::new();
    let mut text = String::from("x,y,u,v\n");
    for i in 0..400 {
        let (x, y) = ((i as f64 * 0.7548776662) % 1.0 * 2.0 - 1.0, (i as f64 * 0.5698402910) % 1.0 * 2.0 - 1.0);
        let off = |k: usize| 0.01 * ((i * 37 + k * 11) % 19) as f64 / 9.0 - 0.01;
        text += &format!("{x},{y},{},{}\n", x * x + y + off(0), y * y - x + off(1));
    }
    desk.write("d.csv", &text);
    desk.ok(&["-q", "fit", "field", "d.csv", "--outputs", "u,v", "-o", "m.orff"]);
    let (text, _) = desk.ok(&["inspect", "m.orff"]);
    let line = text.lines().find(|line| line.starts_with("energy")).unwrap();
    let after = |word: &str| -> f64 {
        let rest = line.split(word).nth(1).unwrap();
        rest.trim_start().split([' ', ',']).next().unwrap().parse().unwrap()
    };
    let (gradient, rotation, both) = (after("gradient"), after("rotation"), after("both at once"));
    assert!((gradient - 8.0 / 45.0).abs() < 0.25 && (rotation - 2.0 / 3.0).abs() < 0.25, "{line}");
    assert!((gradient + rotation + both - 8.0 / 45.0 - 2.0 / 3.0).abs() < 0.05, "{line}");
    desk.ok(&["-q", "predict", "m.orff", "d.csv", "--also", "gradient-part,rotation-part", "-o", "out.csv"]);
    let rows: Vec<Vec<f64>> =
        desk.read("out.csv").lines().skip(1).map(|l| l.split(',').map(|v| v.parse().unwrap()).collect()).collect();
    for row in &rows {
        let constant = |r: &[f64], k: usize| r[k] - r[2 + k] - r[4 + k];
        for k in 0..2 {
            assert!(row[2 + k].abs() < 3.0 && row[4 + k].abs() < 3.0, "{row:?}");
            assert!((constant(row, k) - constant(&rows[0], k)).abs() < 1e-9, "{row:?}");
        }
    }
}

/// A field without waves has no derivatives, but arrows and a speed.
#[test]
fn a_field_of_kernel_sections_is_drawn() {
    let desk = Desk::new();
    let mut text = String::from("x,y,u,v\n");
    for i in 0..40 {
        let (x, y) = ((i as f64 * 0.7549) % 1.0 * 2.0, (i as f64 * 0.5698) % 1.0 * 2.0);
        text += &format!("{x},{y},{},{}\n", y, -x);
    }
    desk.write("d.csv", &text);
    desk.ok(&["-q", "fit", "exact", "d.csv", "--outputs", "u,v", "--kernel", "div-free", "-o", "m.orff"]);
    for background in ["none", "speed"] {
        desk.ok(&["plot", "m.orff", "-o", "m.svg", "--background", background]);
        assert!(desk.read("m.svg").starts_with("<svg"));
    }
    let said = desk.fails(&["plot", "m.orff", "-o", "m.svg", "--background", "curl"], 2);
    assert!(said.contains("without random features"), "{said}");
}
