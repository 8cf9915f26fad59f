//! The counts that Prometheus reads, in its
//! [text format](https://prometheus.io/docs/instrumenting/exposition_formats/).

use super::app::App;
use std::sync::atomic::Ordering;

/// All counts: how much there is now of what the server works on.
pub fn text(app: &App) -> String {
    let under_way = app.under_way.load(Ordering::Relaxed);
    let connections = app.limits.connections - app.places.available_permits();
    let gauges = [
        ("requests_under_way", "How many requests are being answered.", under_way),
        ("connections", "How many connections are open.", connections),
        ("searches", "How many searches run.", app.searches.running()),
    ];
    let told = gauges.map(|(name, help, value)| {
        let name = format!("lasca_tb_{name}");
        format!("# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}\n")
    });
    told.concat()
}
