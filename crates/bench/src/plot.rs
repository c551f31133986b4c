//! Sorted values as a plot with a logarithmic scale, in SVG; readable on light and dark pages.
//!
//! Colours are chosen to stand out from both white and near-black; text and lines take the page's side by
//! `prefers-color-scheme`, which works in a picture as well as in the page itself.

use std::fmt::Write;

/// Values of one kind, the largest first: spread evenly over the width, one step each.
pub struct Series {
    pub name: String,
    pub values: Vec<f64>,
}

pub struct Plot {
    pub title: String,
    /// What the horizontal axis says, from 0 to 100.
    pub across: String,
    pub up: String,
    pub series: Vec<Series>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 96.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 52.0;

/// Orange, blue, green; further series begin again.
const COLOURS: [&str; 3] = ["#d9730d", "#3b82f6", "#16a34a"];

const STYLE: &str = "text{font:13px sans-serif;fill:#333}.grid{stroke:#bbb;stroke-width:.5}\
    .axis{stroke:#333}.one{stroke:#333;stroke-dasharray:4 3}\
    @media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#555}.axis,.one{stroke:#ddd}}";

impl Plot {
    pub fn to_svg(&self) -> String {
        let (low, high) = self.decades();
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n\
             <title>{0}</title>\n<style>{STYLE}</style>\n<text x=\"{LEFT}\" y=\"22\">{0}</text>\n",
            escape(&self.title)
        );
        let bottom = HEIGHT - BOTTOM;
        let right = WIDTH - RIGHT;
        for decade in low..=high {
            let value = 10f64.powi(decade);
            let y = vertical(value, low, high);
            let class = if decade == 0 { "one" } else { "grid" };
            line(&mut svg, class, (LEFT, y), (right, y));
            let x = LEFT - 8.0;
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value}</text>",
                y + 4.0
            );
        }
        for percent in (0..=100).step_by(25) {
            let x = LEFT + (right - LEFT) * f64::from(percent) / 100.0;
            line(&mut svg, "grid", (x, TOP), (x, bottom));
            let y = bottom + 18.0;
            let _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{percent}</text>"
            );
        }
        line(&mut svg, "axis", (LEFT, TOP), (LEFT, bottom));
        line(&mut svg, "axis", (LEFT, bottom), (right, bottom));
        let middle = (LEFT + right) / 2.0;
        let _ = writeln!(
            svg,
            "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - 12.0,
            escape(&self.across)
        );
        let half = (TOP + bottom) / 2.0;
        let _ = writeln!(
            svg,
            "<text transform=\"translate(16 {half:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escape(&self.up)
        );
        for (series, colour) in self.series.iter().zip(COLOURS.iter().cycle()) {
            curve(&mut svg, series, colour, low, high);
        }
        self.legend(&mut svg);
        svg.push_str("</svg>\n");
        svg
    }

    /// The powers of ten that the values lie between; 1 is always among them.
    fn decades(&self) -> (i32, i32) {
        let values = self.series.iter().flat_map(|s| &s.values);
        let logs = values.filter(|v| **v > 0.0).map(|v| v.log10());
        let (low, high) = logs.fold((0f64, 0f64), |(low, high), v| (low.min(v), high.max(v)));
        (low.floor() as i32, (high.ceil() as i32).max(1))
    }

    fn legend(&self, svg: &mut String) {
        let x = WIDTH - RIGHT + 10.0;
        for (i, (series, colour)) in self.series.iter().zip(COLOURS.iter().cycle()).enumerate() {
            let y = TOP + 10.0 + 20.0 * i as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{:.1}\" width=\"12\" height=\"4\" fill=\"{colour}\"/>\
                 <text x=\"{:.1}\" y=\"{y:.1}\">{}</text>",
                y - 6.0,
                x + 18.0,
                escape(&series.name)
            );
        }
    }
}

fn vertical(value: f64, low: i32, high: i32) -> f64 {
    let bottom = HEIGHT - BOTTOM;
    let part = (value.max(1e-9).log10() - f64::from(low)) / f64::from(high - low);
    bottom - (bottom - TOP) * part.clamp(0.0, 1.0)
}

fn line(svg: &mut String, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

/// A step for each value.
fn curve(svg: &mut String, series: &Series, colour: &str, low: i32, high: i32) {
    let step = (WIDTH - RIGHT - LEFT) / series.values.len().max(1) as f64;
    let mut points = String::new();
    for (i, value) in series.values.iter().enumerate() {
        let y = vertical(*value, low, high);
        let x = LEFT + step * i as f64;
        let _ = write!(points, "{x:.1},{y:.1} {:.1},{y:.1} ", x + step);
    }
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        points.trim_end()
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_where_they_belong() {
        let plot = Plot {
            title: "a < b".to_string(),
            across: String::new(),
            up: String::new(),
            series: vec![Series {
                name: "one".to_string(),
                values: vec![100.0, 10.0],
            }],
        };
        assert_eq!(plot.decades(), (0, 2));
        // Two decades between y = 348 and y = 40; the width of 560 is shared by two values.
        let svg = plot.to_svg();
        let points = "points=\"64.0,40.0 344.0,40.0 344.0,194.0 624.0,194.0\"";
        assert!(svg.contains(points), "{svg}");
        assert!(svg.contains("<title>a &lt; b</title>"));
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
    }

    #[test]
    fn slower_than_one_is_shown_too() {
        let plot = Plot {
            title: String::new(),
            across: String::new(),
            up: String::new(),
            series: vec![Series {
                name: String::new(),
                values: vec![3.0, 0.5],
            }],
        };
        assert_eq!(plot.decades(), (-1, 1));
    }
}
