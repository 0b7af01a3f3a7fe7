//! What is wanted at a place, told by the words and brackets in front of it.

use super::super::cursor::{Cursor, tree};
use super::frame::{Frame, Within, behind, ends_value, value_tokens};
use super::standin::StandIn;
use super::tokens::{Token, TokenKind, tokens};
use crate::check::Checker;
use crate::functions;
use crate::program::{Program, UnitId};
use crate::schema::{BUILT_IN, Schema};
use crate::types::{Ctor, Field, Fields, Type};
use slipform_model::Value;
use slipform_source::Span;
use slipform_syntax::tree::{BinaryOp, Expr};
use std::sync::Arc;

/// A place in a text that is being typed.
#[derive(Debug)]
pub(super) struct Place {
    /// What may stand there.
    pub(super) wanted: Wanted,
    /// The word or the text that is being typed.
    pub(super) replace: Span,
    /// The fields or arguments that are given already, in front of the place or behind it.
    pub(super) written: Vec<String>,
    /// What follows belongs to the name already: `=`, or a bracket.
    pub(super) continues: bool,
    /// Facts that follow from the whole blueprint may be read.
    pub(super) facts: bool,
    /// The machine type of the noun around.
    pub(super) machine: Option<String>,
}

/// What may stand at a place.
#[derive(Debug)]
pub(super) enum Wanted {
    /// A statement.
    Statement(Within),
    /// A field of a record.
    Key(Arc<Fields>),
    /// A value, of this type where it is known.
    Value(Option<Type>),
    /// An argument of a constructor: its name, or its value.
    Argument(Arc<Ctor>, Option<Type>),
    /// The inside of a string of this type.
    Text(Option<Type>),
    /// The inside of a string that a function takes.
    TextOf(String),
    /// Something of the expression in front of the dot.
    Member(Box<Expr>, Option<Type>),
    /// A type.
    Type,
    /// A platform of a kind.
    Platform(String),
    /// A kind; only those that others are declared in, where that is asked.
    Kind(bool),
    /// A rule, of those that speak of a kind.
    Rule(Option<Arc<str>>),
    /// A line of a rule.
    Clause,
    /// A file to use.
    Module,
    /// A name of a file that is used.
    Import(Vec<String>),
}

/// What is wanted at the cursor; `None` where nothing can be offered.
pub(super) fn find(cursor: &Cursor<'_>, checker: &Checker<'_, '_>) -> Option<Place> {
    let tree = tree(cursor.analysis, cursor.file)?;
    let next = tree.stmts.partition_point(|stmt| (stmt.span.start as usize) < cursor.offset);
    let start_of = |at: usize| tree.stmts.get(at).map(|stmt| stmt.span.start as usize);
    let base = next.checked_sub(1).and_then(start_of).unwrap_or(0);
    let end = start_of(next).unwrap_or(cursor.text.len()).max(cursor.offset);
    let text = cursor.text.get(base..end)?;
    let tokens = tokens(text, base);
    let stand_in = StandIn::new(text, cursor.offset - base)?;
    let mut reader = Reader {
        cursor,
        program: checker.program,
        unit: checker.unit,
        schema: &checker.program.schema,
        frames: vec![Frame::new(Within::File)],
    };
    reader.place(&tokens, &stand_in)
}

struct Reader<'r, 't> {
    cursor: &'r Cursor<'r>,
    program: &'r Program<'r>,
    unit: UnitId,
    schema: &'r Schema,
    frames: Vec<Frame<'t>>,
}

impl<'t> Reader<'_, 't> {
    fn place(&mut self, tokens: &[Token<'t>], stand_in: &StandIn) -> Option<Place> {
        let offset = self.cursor.offset;
        let mut typed = None;
        let mut read = 0;
        for token in tokens.iter().take_while(|token| token.start < offset) {
            read += 1;
            match token.kind {
                TokenKind::Comment if offset <= token.end => return None,
                TokenKind::Word | TokenKind::Number if offset <= token.end => typed = Some(*token),
                TokenKind::Text { from, to } if (from..=to).contains(&offset) => {
                    typed = Some(*token)
                }
                _ => self.read(token),
            }
        }
        let rest = tokens.get(read..).unwrap_or_default();
        let replace = match typed.map(|token| (token, token.kind)) {
            Some((_, TokenKind::Text { from, to })) => (from, to),
            Some((token, _)) => (token.start, token.end),
            None => (offset, offset),
        };
        let facts = self.frames.iter().any(|frame| {
            matches!(frame.within, Within::Rule)
                || frame
                    .segment
                    .first()
                    .is_some_and(|first| first.is("assert") || first.is("output"))
        });
        let machine = stand_in.machine().or_else(|| self.machine());
        let frame = self.frames.last()?;
        let mut written = frame.written.clone();
        written.extend(behind(rest));
        let next = rest.first();
        let continues = next.is_some_and(|next| ["=", "(", ":"].iter().any(|sign| next.is(sign)));
        let in_text = matches!(typed.map(|token| token.kind), Some(TokenKind::Text { .. }));
        let (mut wanted, mut replace) = (self.wanted(frame, in_text)?, replace);
        if let Wanted::Rule(_) | Wanted::Module = wanted {
            replace = self.path(frame, &wanted, replace);
        }
        if typed.is_some_and(|token| token.kind == TokenKind::Number) {
            // Digits can only become a topology.
            let Wanted::Value(Some(ty)) = &wanted else { return None };
            ty.arms().iter().find(|arm| matches!(arm, Type::Topology))?;
            wanted = Wanted::Value(Some(Type::Topology));
        }
        let replace = Span::new(self.cursor.file, replace.0, replace.1);
        Some(Place { wanted, replace, written, continues, facts, machine })
    }

    /// A rule's code and a file's path are typed in several words.
    fn path(&self, frame: &Frame<'_>, wanted: &Wanted, replace: (usize, usize)) -> (usize, usize) {
        let signs: &[&str] = if matches!(wanted, Wanted::Rule(_)) { &["/", "-"] } else { &["."] };
        let path = frame.segment.iter().skip(1).rev();
        let path =
            path.take_while(|token| token.is_word() || signs.iter().any(|sign| token.is(sign)));
        (path.last().map_or(replace.0, |first| first.start), replace.1)
    }

    /// The machine that a noun around has, wherever it came from.
    fn machine(&self) -> Option<String> {
        let mut nouns = self.cursor.decls().flat_map(|decl| self.cursor.nouns(decl));
        nouns.find_map(|noun| match &noun.fields.get("machine")?.value {
            Value::Str(machine) => Some(machine.to_string()),
            _ => None,
        })
    }

    fn read(&mut self, token: &Token<'t>) {
        let Some(frame) = self.frames.last_mut() else { return };
        match token.kind {
            TokenKind::Newline => {
                if frame.within.has_lines() && !frame.continues() {
                    frame.finish();
                }
            }
            TokenKind::Comment => {}
            TokenKind::Sign if token.text == "," && frame.within.has_commas() => frame.finish(),
            TokenKind::Open => {
                let within = self.opened(token);
                if let Some(frame) = self.frames.last_mut() {
                    frame.segment.push(*token);
                }
                self.frames.push(Frame::new(within));
            }
            TokenKind::Close => {
                if self.frames.len() > 1 {
                    self.frames.pop();
                }
                if let Some(frame) = self.frames.last_mut() {
                    frame.segment.push(*token);
                }
            }
            _ => frame.segment.push(*token),
        }
    }

    /// What a bracket opens.
    fn opened(&self, bracket: &Token<'_>) -> Within {
        let Some(frame) = self.frames.last() else { return Within::Unknown };
        if bracket.text.len() > 1 {
            return Within::Inner(None);
        }
        let segment = frame.segment.as_slice();
        let before = segment.last().copied();
        match bracket.text {
            "(" => match before.filter(|token| token.is_word()) {
                Some(name) => self.called(name.text).unwrap_or(Within::Inner(None)),
                None => Within::Inner(self.expected(frame).known()),
            },
            "[" => {
                let indexes = before.is_some_and(|token| ends_value(&token));
                if indexes {
                    Within::Inner(None)
                } else {
                    Within::List(self.expected(frame).known().and_then(item))
                }
            }
            _ => self.block(frame).unwrap_or_else(|| self.braces(frame)),
        }
    }

    fn called(&self, name: &str) -> Option<Within> {
        if let Some(ctor) = self.schema.ctors.get(name) {
            return Some(Within::Arguments(ctor.clone()));
        }
        functions::find(name).map(|function| Within::Function(function.name.to_owned()))
    }

    /// A block of statements, where the words in front of its brace start one.
    fn block(&self, frame: &Frame<'_>) -> Option<Within> {
        let in_block = matches!(
            frame.within,
            Within::File | Within::Noun(_) | Within::Component | Within::Unknown | Within::Use(_)
        );
        let segment = frame.segment.as_slice();
        let first = segment.first().filter(|_| in_block)?;
        if segment.get(1).is_some_and(|second| second.is("=") || second.is(":")) {
            return None;
        }
        Some(match first.text {
            "let" | "param" | "output" | "assert" | "type" => return None,
            "use" => {
                let words = segment.iter().skip(1).filter(|token| token.is_word());
                Within::Import(words.map(|token| token.text.to_owned()).collect())
            }
            "patch" => Within::Unknown,
            "kind" => Within::Kind,
            "component" => Within::Component,
            "rule" => Within::Rule,
            "for" | "if" | "else" => frame.within.clone(),
            _ => self.declared(segment)?,
        })
    }

    /// What `[existing] kind name [on platform]` opens.
    fn declared(&self, segment: &[Token<'_>]) -> Option<Within> {
        let skipped = usize::from(segment.first()?.is("existing"));
        let kind = segment.get(skipped).filter(|token| token.is_word())?.text;
        let on = segment.iter().position(|token| token.is("on"));
        let platform = on.and_then(|on| segment.get(on + 1)).map(|token| token.text);
        let known = self.schema.kind(kind, None).or_else(|| self.schema.kind(kind, platform));
        if let Some(known) = known.or_else(|| self.schema.variants(kind).next()) {
            return Some(Within::Noun(known.clone()));
        }
        let component = self.program.component(self.unit, kind)?;
        Some(Within::Use(component.fields.clone()))
    }

    /// A record, or a branch of a condition.
    fn braces(&self, frame: &Frame<'_>) -> Within {
        let expected = self.expected_type(frame);
        let value = value_tokens(&frame.segment);
        let is_branch = value.first().is_some_and(|first| first.is("if") || first.is("for"))
            || value.last().is_some_and(|last| last.is("else"));
        if is_branch {
            return Within::Inner(expected);
        }
        let arms = expected.iter().flat_map(Type::arms).collect::<Vec<_>>();
        let found = arms.into_iter().find_map(|arm| match arm {
            Type::Record(fields) => Some(Within::Record(fields)),
            Type::Map(_, value) => Some(Within::Map((*value).clone())),
            _ => None,
        });
        found.unwrap_or(Within::Unknown)
    }

    fn wanted(&self, frame: &Frame<'_>, in_text: bool) -> Option<Wanted> {
        let segment = frame.segment.as_slice();
        let first = segment.first();
        if in_text {
            return Some(match &frame.within {
                Within::Function(name) => Wanted::TextOf(name.clone()),
                _ => Wanted::Text(self.expected(frame).known()),
            });
        }
        if first.is_some_and(|first| first.is("use")) && matches!(frame.within, Within::File) {
            return (!segment.iter().any(|token| token.is("as"))).then_some(Wanted::Module);
        }
        if segment.last().is_some_and(|last| last.is(".")) {
            let base = self.cursor.base()?.clone();
            return Some(Wanted::Member(Box::new(base), self.expected_type(frame)));
        }
        match &frame.within {
            Within::Import(module) => Some(Wanted::Import(module.clone())),
            Within::Record(fields) if segment.is_empty() => Some(Wanted::Key(fields.clone())),
            Within::Map(_) if segment.is_empty() => None,
            Within::Unknown if segment.is_empty() => None,
            Within::Arguments(ctor) if segment.is_empty() => {
                let positional =
                    ctor.fields.0.get_index(frame.count).map(|(_, field)| field.written());
                Some(Wanted::Argument(ctor.clone(), positional))
            }
            Within::Rule if segment.is_empty() => Some(Wanted::Clause),
            Within::File | Within::Noun(_) | Within::Use(_) | Within::Component | Within::Kind
                if segment.is_empty() =>
            {
                Some(Wanted::Statement(frame.within.clone()))
            }
            Within::File | Within::Noun(_) | Within::Component | Within::Kind => {
                self.in_statement(frame)
            }
            _ => self.expected(frame).wanted(),
        }
    }

    /// What is wanted behind the first words of a statement.
    fn in_statement(&self, frame: &Frame<'_>) -> Option<Wanted> {
        let segment = frame.segment.as_slice();
        let (first, last) = (segment.first()?, segment.last()?);
        let has = |sign: &str| segment.iter().any(|token| token.is(sign));
        let is_attribute = segment.get(1).is_some_and(|second| second.is("="));
        if !is_attribute {
            match first.text {
                "existing" if segment.len() == 1 => return Some(Wanted::Kind(false)),
                "allow" => {
                    let kind = match &frame.within {
                        Within::Noun(kind) => Some(kind.name.clone()),
                        _ => None,
                    };
                    let reads =
                        segment.iter().any(|token| matches!(token.kind, TokenKind::Text { .. }));
                    return (!reads).then_some(Wanted::Rule(kind));
                }
                "kind" => return last.is("in").then_some(Wanted::Kind(true)),
                "rule" => return last.is("on").then_some(Wanted::Kind(false)),
                "component" | "patch" => return None,
                "type" => return has("=").then_some(Wanted::Type),
                _ => {}
            }
            if has(":") && !has("=") && !has("where") {
                return (!ends_value(last)).then_some(Wanted::Type);
            }
            let is_header = !has("=") && last.is("on") && segment.len() > 1;
            if is_header
                && self.schema.has_kind(first.text)
                && self.schema.kind(first.text, None).is_none()
            {
                return Some(Wanted::Platform(first.text.to_owned()));
            }
        }
        self.expected(frame).wanted()
    }

    fn expected(&self, frame: &Frame<'_>) -> Expected {
        let value = value_tokens(&frame.segment);
        match value.last() {
            None => Expected::Known(self.expected_type(frame)),
            Some(last) if last.is("else") || ends_value(last) => Expected::Nothing,
            Some(last) if last.is(BinaryOp::At.text()) => Expected::Nothing,
            Some(_) => Expected::Known(None),
        }
    }

    /// The type of the value that a statement or an entry holds.
    fn expected_type(&self, frame: &Frame<'_>) -> Option<Type> {
        let segment = frame.segment.as_slice();
        let named = segment.first().filter(|_| segment.get(1).is_some_and(|second| second.is("=")));
        let of =
            |fields: &Fields| named.and_then(|name| fields.0.get(name.text)).map(Field::written);
        match &frame.within {
            Within::Noun(kind) if named.is_some() => of(&kind.fields),
            Within::Use(fields) | Within::Record(fields) => of(fields),
            Within::Arguments(ctor) => match named {
                Some(_) => of(&ctor.fields),
                None => ctor.fields.0.get_index(frame.count).map(|(_, field)| field.written()),
            },
            Within::Map(value) => Some(value.clone()),
            Within::List(item) | Within::Inner(item) => item.clone(),
            Within::File | Within::Noun(_) | Within::Component | Within::Kind => {
                self.of_statement(segment)
            }
            Within::Rule | Within::Unknown | Within::Function(_) | Within::Import(_) => None,
        }
    }

    /// The type that a statement itself names, or the places that a noun may be on.
    fn of_statement(&self, segment: &[Token<'_>]) -> Option<Type> {
        let first = segment.first()?;
        let colon = segment.iter().position(|token| token.is(":"));
        if let Some(colon) = colon {
            let name = segment.get(colon + 1)?.text;
            return type_named(self.schema, name);
        }
        let is_header = !segment.iter().any(|token| token.is("="));
        if is_header && segment.iter().any(|token| token.is("on")) {
            let kind = if first.is("existing") { segment.get(1)? } else { first };
            if let Some(component) = self.program.component(self.unit, kind.text) {
                return component.fields.0.get("place").map(|field| field.ty.clone());
            }
            return self.schema.field_of(kind.text, "place").map(|field| field.ty);
        }
        None
    }
}

/// What kind of value may follow.
enum Expected {
    /// One of this type; of any where that is not known.
    Known(Option<Type>),
    /// None: the value is written already.
    Nothing,
}

impl Expected {
    fn known(self) -> Option<Type> {
        match self {
            Self::Known(ty) => ty,
            Self::Nothing => None,
        }
    }

    fn wanted(self) -> Option<Wanted> {
        match self {
            Self::Known(ty) => Some(Wanted::Value(ty)),
            Self::Nothing => None,
        }
    }
}

/// The type of a name.
fn type_named(schema: &Schema, name: &str) -> Option<Type> {
    if let Some(known) = schema.types.get(name) {
        return Some(Type::Named(known.clone()));
    }
    let built_in =
        BUILT_IN.iter().find(|(known, _, _)| *known == name).map(|(_, ty, _)| ty.clone());
    built_in.or_else(|| schema.variants(name).next().map(|kind| Type::Noun(kind.name.clone())))
}

fn item(ty: Type) -> Option<Type> {
    ty.arms().into_iter().find_map(|arm| match arm {
        Type::List(item) => Some((*item).clone()),
        _ => None,
    })
}
