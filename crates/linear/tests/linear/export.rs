//! Files for other programs.

use dalembert_linear::ExportFormat;

#[test]
fn endings_name_formats() {
    assert_eq!(ExportFormat::of_name("a/b.MAT"), Some(ExportFormat::Mat));
    assert_eq!(ExportFormat::of_name("model"), None);
}
