//! Terraform's language as data: bodies, blocks, attributes and expressions.
//!
//! [`to_hcl`] prints what `terraform fmt` leaves unchanged. Text never becomes syntax: strings, labels, keys and
//! comments are escaped. Only [`Expr::reference`] is written as it stands; it is for names that a target makes.
//!
//! What it does not do: check references or types; `terraform validate` and `slipform-schema` do.

mod expr;
mod print;
#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;

pub use expr::{Expr, For, Key, Object, Part};
pub use print::to_hcl;

/// The content of a file or a block: attributes and blocks in the order in which they were added.
///
/// The printer sets blank lines itself: around every nested block, around an attribute whose value takes several
/// lines (but a heredoc), and where [`Body::gap`] asks for one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The members in order.
    pub members: Vec<Member>,
}

/// What a body is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// `name = value`
    Attribute(Attribute),
    /// `kind "label" { ... }`
    Block(Block),
    /// Lines of their own, separated by `\n`, without `#`; set off by a blank line on each side.
    Comment(String),
    /// A blank line.
    Gap,
}

/// `name = value`, with the lines above it.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Lines separated by `\n`, without `#`; empty for none.
    pub comment: String,
    /// An identifier.
    pub name: Cow<'static, str>,
    /// The value.
    pub expr: Expr,
}

/// `kind "label" { ... }`, with the lines above it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Block {
    /// Lines separated by `\n`, without `#`; empty for none.
    pub comment: String,
    /// An identifier: `resource`, `node_config`.
    pub kind: Cow<'static, str>,
    /// The quoted words behind it. Terraform takes names only; anything else is escaped and refused by Terraform.
    pub labels: Vec<Cow<'static, str>>,
    /// What stands between its braces.
    pub body: Body,
}

/// Words that a body and a block share; a block passes them on to its body.
macro_rules! building {
    ($type:ty, $self:ident => $body:expr) => {
        impl $type {
            /// Adds an attribute.
            #[must_use]
            pub fn attr(mut $self, name: impl Into<Cow<'static, str>>, value: impl Into<Expr>) -> Self {
                $body.members.push(Member::Attribute(Attribute::new(name, value)));
                $self
            }

            /// Adds an attribute if there is a value.
            #[must_use]
            pub fn attr_opt(
                self,
                name: impl Into<Cow<'static, str>>,
                value: Option<impl Into<Expr>>,
            ) -> Self {
                match value {
                    Some(value) => self.attr(name, value),
                    None => self,
                }
            }

            /// Adds an attribute with lines above it.
            #[must_use]
            pub fn attr_comment(
                mut $self,
                comment: impl Into<String>,
                name: impl Into<Cow<'static, str>>,
                value: impl Into<Expr>,
            ) -> Self {
                let attribute = Attribute { comment: comment.into(), ..Attribute::new(name, value) };
                $body.members.push(Member::Attribute(attribute));
                $self
            }

            /// Adds a block.
            #[must_use]
            pub fn block(mut $self, block: Block) -> Self {
                $body.members.push(Member::Block(block));
                $self
            }

            /// Adds a block if there is one.
            #[must_use]
            pub fn block_opt(self, block: Option<Block>) -> Self {
                match block {
                    Some(block) => self.block(block),
                    None => self,
                }
            }

            /// Adds blocks.
            #[must_use]
            pub fn blocks(mut $self, blocks: impl IntoIterator<Item = Block>) -> Self {
                $body.members.extend(blocks.into_iter().map(Member::Block));
                $self
            }

            /// Adds everything that another body holds.
            #[must_use]
            pub fn extend(mut $self, other: Body) -> Self {
                $body.members.extend(other.members);
                $self
            }

            /// Adds a blank line; attributes on either side are aligned apart.
            #[must_use]
            pub fn gap(mut $self) -> Self {
                $body.members.push(Member::Gap);
                $self
            }
        }
    };
}

building!(Body, self => self);
building!(Block, self => self.body);

impl Body {
    /// An empty body.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds lines that stand alone, as at the head of a file.
    #[must_use]
    pub fn comment(mut self, comment: impl Into<String>) -> Self {
        self.members.push(Member::Comment(comment.into()));
        self
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }
}

impl Block {
    /// A block with its labels: `Block::new("resource", ["google_compute_network", "fabric"])`.
    pub fn new<L: Into<Cow<'static, str>>>(
        kind: impl Into<Cow<'static, str>>,
        labels: impl IntoIterator<Item = L>,
    ) -> Self {
        Self {
            comment: String::new(),
            kind: kind.into(),
            labels: labels.into_iter().map(Into::into).collect(),
            body: Body::default(),
        }
    }

    /// A block without labels: `Block::of("node_config")`.
    pub fn of(kind: impl Into<Cow<'static, str>>) -> Self {
        Self { kind: kind.into(), ..Self::default() }
    }

    /// Adds lines above the block.
    #[must_use]
    pub fn comment(mut self, comment: impl AsRef<str>) -> Self {
        if !self.comment.is_empty() {
            self.comment.push('\n');
        }
        self.comment.push_str(comment.as_ref());
        self
    }
}

impl Attribute {
    /// An attribute without a comment.
    pub fn new(name: impl Into<Cow<'static, str>>, value: impl Into<Expr>) -> Self {
        Self { comment: String::new(), name: name.into(), expr: value.into() }
    }
}
