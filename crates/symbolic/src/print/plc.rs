//! Function blocks of Structured Text in the files of programming systems.
//!
//! - PLCopen XML (IEC 61131-10; TC6, version 2.01), which CODESYS, TwinCAT, Beremiz and others import: all blocks in one project.
//! - TwinCAT's own file of a POU (`.TcPOU`): one block; *Add existing item* takes it.

use super::st::{BlockVariable, FunctionBlock, St};
use super::{Precision, VERSION};
use crate::program::Program;
use dalembert_report::escape;
use std::fmt::Write;

/// Files carry no time: the same robot gives the same file. The format asks for one all the same.
const NO_TIME: &str = "2000-01-01T00:00:00";

const XHTML: &str = "http://www.w3.org/1999/xhtml";

/// The programs as one project of PLCopen XML.
pub fn plcopen(programs: &[Program], project: &str, precision: Precision) -> String {
    let project = escape::xml(project);
    let mut text = format!(
        r#"<?xml version="1.0" encoding="utf-8"?>
<project xmlns="http://www.plcopen.org/xml/tc6_0201">
  <fileHeader companyName="" productName="dalembert" productVersion="{VERSION}" creationDateTime="{NO_TIME}" />
  <contentHeader name="{project}">
    <coordinateInfo>
      <fbd><scaling x="1" y="1" /></fbd>
      <ld><scaling x="1" y="1" /></ld>
      <sfc><scaling x="1" y="1" /></sfc>
    </coordinateInfo>
  </contentHeader>
  <types>
    <dataTypes />
    <pous>
"#
    );
    for program in programs {
        let block = FunctionBlock::new(program, &St(precision));
        let _ = writeln!(text, "      <pou name=\"{}\" pouType=\"functionBlock\">\n        <interface>", block.name);
        for (kind, all) in [("inputVars", &block.inputs), ("outputVars", &block.outputs), ("localVars", &block.locals)]
        {
            if !all.is_empty() {
                let _ = writeln!(text, "          <{kind}>");
                all.iter().for_each(|one| variable(&mut text, one));
                let _ = writeln!(text, "          </{kind}>");
            }
        }
        let _ = writeln!(
            text,
            "        </interface>\n        <body>\n          <ST>\n            <xhtml xmlns=\"{XHTML}\">{}</xhtml>\n          </ST>\n        </body>",
            escape::xml(&block.body)
        );
        let _ = writeln!(text, "        <documentation>{}</documentation>", xhtml(&block.heading.join("\n")));
        text.push_str("      </pou>\n");
    }
    text.push_str("    </pous>\n  </types>\n  <instances>\n    <configurations />\n  </instances>\n</project>\n");
    text
}

fn xhtml(words: &str) -> String {
    format!("<xhtml xmlns=\"{XHTML}\">{}</xhtml>", escape::xml(words))
}

fn variable(text: &mut String, one: &BlockVariable) {
    let mut of = format!("<{} />", one.of);
    if !one.dimensions.is_empty() {
        let dimensions: String =
            one.dimensions.iter().map(|last| format!("<dimension lower=\"1\" upper=\"{last}\" />")).collect();
        of = format!("<array>{dimensions}<baseType>{of}</baseType></array>");
    }
    let initial = one
        .initial
        .as_ref()
        .map(|value| format!("<initialValue><simpleValue value=\"{value}\" /></initialValue>"))
        .unwrap_or_default();
    let about = match one.about.as_str() {
        "" => String::new(),
        about => format!("<documentation>{}</documentation>", xhtml(about)),
    };
    let name = &one.name;
    let _ = writeln!(text, "            <variable name=\"{name}\"><type>{of}</type>{initial}{about}</variable>");
}

/// A program as TwinCAT's file of a POU.
pub fn twincat(program: &Program, precision: Precision) -> String {
    let block = FunctionBlock::new(program, &St(precision));
    let (name, id) = (&block.name, guid(&block.name));
    // Neither part can end the quotation: comments are plain text, and no statement has `]]>`.
    let quoted = |text: &str| text.replace("]]>", "]] >");
    format!(
        r#"<?xml version="1.0" encoding="utf-8"?>
<TcPlcObject Version="1.1.0.1" ProductVersion="3.1.4024.0">
  <POU Name="{name}" Id="{{{id}}}" SpecialFunc="None">
    <Declaration><![CDATA[{}]]></Declaration>
    <Implementation>
      <ST><![CDATA[{}]]></ST>
    </Implementation>
  </POU>
</TcPlcObject>
"#,
        quoted(&block.declaration()),
        quoted(&block.body)
    )
}

/// A number of its own for each name, always the same (FNV-1a, twice).
fn guid(name: &str) -> String {
    let hash = |start: u64| {
        name.bytes().fold(start, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3))
    };
    let (a, b) = (hash(0xCBF2_9CE4_8422_2325), hash(0x6C62_272E_07BB_0142));
    let [p, q, r] = [a >> 32, a >> 16 & 0xFFFF, a & 0xFFF];
    format!("{p:08x}-{q:04x}-4{r:03x}-{:04x}-{:012x}", b >> 48 & 0x3FFF | 0x8000, b & 0xFFFF_FFFF_FFFF)
}
