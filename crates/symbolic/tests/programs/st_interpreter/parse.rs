//! Text to blocks.

use super::{Block, Variable};
use std::collections::HashMap;

#[derive(Clone, Debug)]
pub enum Expression {
    Number(f64),
    Variable(String, Vec<Expression>),
    Not(Box<Expression>),
    Minus(Box<Expression>),
    Binary(String, Box<Expression>, Box<Expression>),
    Call(String, Vec<Expression>),
}

#[derive(Clone, Debug)]
pub enum Statement {
    Assign(String, Vec<Expression>, Expression),
    If(Vec<(Expression, Vec<Statement>)>, Vec<Statement>),
    Return,
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Word(String),
    Number(f64),
    Sign(&'static str),
}

const SIGNS: [&str; 18] =
    [":=", "..", "<=", ">=", "<>", "(", ")", "[", "]", ",", ";", ":", "+", "-", "*", "/", "<", ">"];

/// The keywords and functions that no variable may be called.
const RESERVED: &str = "if then elsif else end_if return not and or xor mod var var_input var_output end_var array of \
    real lreal bool udint true false function_block end_function_block sin cos tan atan sqrt exp abs max min limit sel \
    at to by do for while s r ld st";

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut all = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return Ok(all) };
        if let Some(comment) = rest.strip_prefix("(*") {
            let end = comment.find("*)").ok_or("a comment without end")?;
            rest = &comment[end + 2..];
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            all.push(Token::Word(rest[..end].into()));
            rest = &rest[end..];
        } else if first.is_ascii_digit() {
            let mut end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let real = rest[end..].starts_with('.') && !rest[end..].starts_with("..");
            if real {
                end += 1;
                end += rest[end..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - end);
                // The standard allows an exponent after a point only.
                if rest[end..].starts_with('E') {
                    end += 1 + usize::from(rest[end + 1..].starts_with(['+', '-']));
                    end += rest[end..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - end);
                }
            }
            all.push(Token::Number(rest[..end].parse().map_err(|_| format!("number {}", &rest[..end]))?));
            rest = &rest[end..];
        } else {
            let sign = SIGNS.iter().chain(&["="]).find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("`{first}`"))?;
            all.push(Token::Sign(sign));
            rest = &rest[sign.len()..];
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

pub fn parse(text: &str) -> Result<Vec<Block>, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0 };
    let mut blocks = Vec::new();
    while parser.at < parser.tokens.len() {
        blocks.push(parser.block()?);
    }
    Ok(blocks)
}

impl Parser {
    fn is_word(&self, word: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Word(found)) if found.eq_ignore_ascii_case(word))
    }

    fn word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.tokens.get(self.at), Some(Token::Sign(found)) if *found == sign);
        self.at += usize::from(found);
        found
    }

    fn need(&mut self, what: &str) -> Result<(), String> {
        match self.sign(what) || self.word(what) {
            true => Ok(()),
            false => Err(format!("`{what}` expected, found {:?}", self.tokens.get(self.at))),
        }
    }

    fn name(&mut self) -> Result<String, String> {
        let Some(Token::Word(name)) = self.tokens.get(self.at).cloned() else {
            return Err(format!("a name expected, found {:?}", self.tokens.get(self.at)));
        };
        self.at += 1;
        let reserved = RESERVED.split_whitespace().any(|word| word.eq_ignore_ascii_case(&name));
        if reserved || name.starts_with('_') || name.ends_with('_') || name.contains("__") {
            return Err(format!("`{name}` is no name"));
        }
        Ok(name)
    }

    fn number(&mut self) -> Result<f64, String> {
        let minus = self.sign("-");
        match self.tokens.get(self.at) {
            Some(Token::Number(x)) => {
                self.at += 1;
                Ok(if minus { -x } else { *x })
            }
            other => Err(format!("a number expected, found {other:?}")),
        }
    }

    fn block(&mut self) -> Result<Block, String> {
        self.need("FUNCTION_BLOCK")?;
        let name = self.name()?;
        let mut variables = HashMap::new();
        loop {
            let input = self.is_word("VAR_INPUT");
            if !(self.word("VAR_INPUT") || self.word("VAR_OUTPUT") || self.word("VAR")) {
                break;
            }
            while !self.word("END_VAR") {
                self.declaration(input, &mut variables)?;
            }
        }
        let statements = self.statements()?;
        self.need("END_FUNCTION_BLOCK")?;
        Ok(Block { name, variables, statements })
    }

    fn declaration(&mut self, input: bool, variables: &mut HashMap<String, Variable>) -> Result<(), String> {
        let mut names = vec![self.name()?];
        while self.sign(",") {
            names.push(self.name()?);
        }
        self.need(":")?;
        let mut ranges = Vec::new();
        if self.word("ARRAY") {
            self.need("[")?;
            loop {
                let low = self.number()? as i64;
                self.need("..")?;
                ranges.push((low, self.number()? as i64));
                if !self.sign(",") {
                    break;
                }
            }
            self.need("]")?;
            self.need("OF")?;
        }
        let single = self.is_word("REAL");
        if !["LREAL", "REAL", "BOOL", "UDINT"].iter().any(|kind| self.word(kind)) {
            return Err(format!("a type expected, found {:?}", self.tokens.get(self.at)));
        }
        let value = if self.sign(":=") { self.number()? } else { 0.0 };
        self.need(";")?;
        let count = ranges.iter().map(|(low, high)| (high - low + 1) as usize).product();
        for name in names {
            let variable = Variable { ranges: ranges.clone(), values: vec![value; count], single, input };
            if variables.insert(name.to_lowercase(), variable).is_some() {
                return Err(format!("`{name}` is declared twice"));
            }
        }
        Ok(())
    }

    fn statements(&mut self) -> Result<Vec<Statement>, String> {
        let mut all = Vec::new();
        while !["END_IF", "ELSIF", "ELSE", "END_FUNCTION_BLOCK"].iter().any(|word| self.is_word(word)) {
            all.push(self.statement()?);
        }
        Ok(all)
    }

    fn statement(&mut self) -> Result<Statement, String> {
        if self.word("RETURN") {
            self.need(";")?;
            return Ok(Statement::Return);
        }
        if self.word("IF") {
            let mut branches = Vec::new();
            loop {
                let condition = self.expression(0)?;
                self.need("THEN")?;
                branches.push((condition, self.statements()?));
                if !self.word("ELSIF") {
                    break;
                }
            }
            let otherwise = if self.word("ELSE") { self.statements()? } else { Vec::new() };
            self.need("END_IF")?;
            self.need(";")?;
            return Ok(Statement::If(branches, otherwise));
        }
        let name = self.name()?;
        let indices = self.indices()?;
        self.need(":=")?;
        let value = self.expression(0)?;
        self.need(";")?;
        Ok(Statement::Assign(name, indices, value))
    }

    fn indices(&mut self) -> Result<Vec<Expression>, String> {
        if !self.sign("[") {
            return Ok(Vec::new());
        }
        let mut all = vec![self.expression(0)?];
        while self.sign(",") {
            all.push(self.expression(0)?);
        }
        self.need("]")?;
        Ok(all)
    }

    /// Loosest first, as the standard ranks them.
    fn expression(&mut self, level: usize) -> Result<Expression, String> {
        const LEVELS: [&[&str]; 5] = [&["OR"], &["AND"], &["<", ">", "<=", ">=", "="], &["+", "-"], &["*", "/"]];
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.expression(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.sign(operator) || self.word(operator)) {
            let right = self.expression(level + 1)?;
            left = Expression::Binary((*operator).into(), Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        if self.sign("-") {
            return Ok(Expression::Minus(Box::new(self.unary()?)));
        }
        if self.word("NOT") {
            return Ok(Expression::Not(Box::new(self.unary()?)));
        }
        if self.sign("(") {
            let inner = self.expression(0)?;
            self.need(")")?;
            return Ok(inner);
        }
        if self.word("TRUE") {
            return Ok(Expression::Number(1.0));
        }
        if self.word("FALSE") {
            return Ok(Expression::Number(0.0));
        }
        if let Some(Token::Number(_)) = self.tokens.get(self.at) {
            return Ok(Expression::Number(self.number()?));
        }
        if let (Some(Token::Word(name)), Some(Token::Sign("("))) =
            (self.tokens.get(self.at).cloned(), self.tokens.get(self.at + 1))
        {
            self.at += 2;
            let mut arguments = vec![self.expression(0)?];
            while self.sign(",") {
                arguments.push(self.expression(0)?);
            }
            self.need(")")?;
            return Ok(Expression::Call(name, arguments));
        }
        let name = self.name()?;
        Ok(Expression::Variable(name, self.indices()?))
    }
}
