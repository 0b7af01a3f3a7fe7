//! What a patch takes the place of in a document, and what it adds by mistake: asked before it is merged.

use super::library::{Kind, PLACE};
use super::{Path, Shape, ShapeError, Step};
use slipform_document::hcl::{Body, Expr, Key, Member};
use slipform_document::{Item, Map, Node};
use slipform_source::nearest;

/// A value of a document that a patch takes the place of, takes away or adds.
#[derive(Clone, Debug, PartialEq)]
pub struct Overruled {
    /// Where the patch says so.
    pub path: Vec<Step>,
    /// The same without items of lists.
    pub names: Vec<String>,
    /// What the document says; `null` where it says nothing.
    pub is: Node,
    /// What the patch says; `null` where it takes the value away.
    pub then: Node,
}

/// How a patch meets a document, in the order of the patch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Met {
    /// Values that are others once it is merged.
    pub overruled: Vec<Overruled>,
    /// Values that stand nowhere in the document before, but for those inside of new items of lists.
    pub added: Vec<Overruled>,
    /// New items of lists, each at what tells it from the others: the name of a variable.
    pub items: Vec<Overruled>,
    /// Items that it adds to lists though they cannot stand alone: the one that was meant has another name.
    pub misnamed: Vec<ShapeError>,
    /// Items that it adds to lists beside one of nearly the same name.
    pub alike: Vec<ShapeError>,
}

impl Shape {
    /// How a patch meets the document that it is to be merged into.
    #[must_use]
    pub fn meet(&self, base: &Node, patch: &Node) -> Met {
        let (path, names) = (Vec::new(), Vec::new());
        let mut walk = Walk { shape: self, path, names, met: Met::default() };
        walk.value(Some(&self.root.kind), base, patch);
        walk.met
    }
}

/// The body of a resource as a tree: what Terraform computes is the text of its reference, and a block that occurs once a record.
#[must_use]
pub fn tree(body: &Body) -> Node {
    let mut tree = Map::default();
    for member in &body.members {
        match member {
            Member::Attribute(attribute) => {
                tree.insert(attribute.name.clone(), plain(&attribute.expr));
            }
            Member::Block(block) => {
                let value = self::tree(&block.body);
                let value = match tree.remove(&block.kind).map(|entry| entry.value) {
                    None => value,
                    Some(Node::Seq(mut items)) => {
                        items.push(value.into());
                        Node::Seq(items)
                    }
                    Some(first) => Node::Seq(vec![first.into(), value.into()]),
                };
                tree.insert(block.kind.clone(), value);
            }
            Member::Comment(_) | Member::Gap => {}
        }
    }
    tree.into()
}

fn plain(expr: &Expr) -> Node {
    match expr {
        Expr::Null => Node::Null,
        Expr::Bool(it) => Node::Bool(*it),
        Expr::Int(it) => Node::Int(*it),
        Expr::Float(it) => Node::Float(*it),
        Expr::Str(text) | Expr::Raw(text) => Node::Str(text.clone()),
        Expr::List(items) => Node::Seq(items.iter().map(|item| plain(item).into()).collect()),
        Expr::Object(object) => {
            let mut map = Map::default();
            for (key, value) in &object.entries {
                if let Key::Name(name) = key {
                    map.insert(name.clone(), plain(value));
                }
            }
            map.into()
        }
        Expr::Index(..)
        | Expr::Attr(..)
        | Expr::Call(..)
        | Expr::Template(_)
        | Expr::If(..)
        | Expr::Binary(..)
        | Expr::Not(_)
        | Expr::For(_) => Node::Str("what Terraform computes".into()),
    }
}

struct Walk<'s> {
    shape: &'s Shape,
    path: Vec<Step>,
    names: Vec<String>,
    met: Met,
}

impl Walk<'_> {
    fn value(&mut self, kind: Option<&Kind>, base: &Node, patch: &Node) {
        match (kind, base, patch) {
            (Some(Kind::List(inner, keys)), Node::Seq(base), Node::Seq(patch))
                if keys == &[PLACE] =>
            {
                self.placed(inner, base, patch);
            }
            (Some(Kind::List(inner, keys)), Node::Seq(base), Node::Seq(patch))
                if !keys.is_empty() =>
            {
                self.keyed(inner, keys, base, patch);
            }
            // several blocks of a name are replaced by those of the patch
            (Some(Kind::Blocks { most, .. }), _, _) if *most != Some(1) => {
                if several(base) != several(patch) {
                    self.overrule(base, patch);
                }
            }
            (_, Node::Map(base), Node::Map(patch)) => self.map(kind, base, patch),
            _ if base == patch => {}
            _ => self.overrule(base, patch),
        }
    }

    fn map(&mut self, kind: Option<&Kind>, base: &Map, patch: &Map) {
        for (key, entry) in patch.iter() {
            let kind = self.shape.inner(kind, key);
            self.within(key, |walk| match (base.get(key), &entry.value) {
                (Some(is), Node::Null) => walk.overrule(is, &Node::Null),
                (Some(is), value) => walk.value(kind, is, value),
                (None, value) => walk.add(kind, value),
            });
        }
    }

    fn within(&mut self, key: &str, walk: impl FnOnce(&mut Self)) {
        self.path.push(Step::Key(key.to_owned()));
        self.names.push(key.to_owned());
        walk(self);
        self.names.pop();
        self.path.pop();
    }

    /// What the document has nothing of: each value by itself.
    fn add(&mut self, kind: Option<&Kind>, then: &Node) {
        match (kind, then) {
            (_, Node::Null) => {}
            (Some(Kind::List(_, keys)), Node::Seq(items))
                if !keys.is_empty() && keys != &[PLACE] =>
            {
                for (index, item) in items.iter().enumerate() {
                    self.path.push(Step::Index(index));
                    self.item(keys, &item.value);
                    self.path.pop();
                }
            }
            (_, Node::Map(map)) => {
                for (key, entry) in map.iter() {
                    let kind = self.shape.inner(kind, key);
                    self.within(key, |walk| walk.add(kind, &entry.value));
                }
            }
            (_, Node::Seq(items)) if items.iter().any(|it| matches!(it.value, Node::Map(_))) => {
                let kind = match kind {
                    Some(Kind::List(inner, _)) => Some(&**inner),
                    kind => kind,
                };
                for (index, item) in items.iter().enumerate() {
                    self.path.push(Step::Index(index));
                    self.add(kind, &item.value);
                    self.path.pop();
                }
            }
            (_, then) => {
                let told = self.told(&Node::Null, then);
                self.met.added.push(told);
            }
        }
    }

    /// One more item of a list.
    fn item(&mut self, keys: &[&'static str], item: &Node) {
        let Some((key, name)) = keys.iter().find_map(|key| Some((*key, item.get(key)?))) else {
            return;
        };
        self.within(key, |walk| {
            let told = walk.told(&Node::Null, name);
            walk.met.items.push(told);
        });
    }

    fn placed(&mut self, inner: &Kind, base: &[Item], patch: &[Item]) {
        for (index, item) in patch.iter().enumerate() {
            self.path.push(Step::Index(index));
            match base.get(index) {
                Some(is) => self.value(Some(inner), &is.value, &item.value),
                None => self.further(inner, base.len(), &item.value),
            }
            self.path.pop();
        }
    }

    /// An item behind those of the document: complete, it is one more.
    fn further(&mut self, inner: &Kind, count: usize, item: &Node) {
        let Some(missing) = self.missing(inner, item) else { return };
        let list = self.path.split_last().map_or(&[][..], |(_, list)| list).to_vec();
        let message =
            format!("`{}` has {count} of these, and one more needs `{missing}`", Path(&list));
        let path = self.path.clone();
        self.met.misnamed.push(ShapeError { path, message, nearest: None, unknown: false });
    }

    fn keyed(&mut self, inner: &Kind, keys: &[&'static str], base: &[Item], patch: &[Item]) {
        for (index, item) in patch.iter().enumerate() {
            self.path.push(Step::Index(index));
            let same =
                |other: &&Item| keys.iter().all(|key| other.value.get(key) == item.value.get(key));
            match base.iter().find(&same) {
                _ if patch.iter().take(index).any(|other| same(&other)) => {
                    self.again(keys, &item.value)
                }
                Some(is) => self.value(Some(inner), &is.value, &item.value),
                None => {
                    self.item(keys, &item.value);
                    self.added(inner, keys, base, &item.value);
                }
            }
            self.path.pop();
        }
    }

    /// An item under a name that no item of the document has: complete, it is one more.
    fn added(&mut self, inner: &Kind, keys: &[&'static str], base: &[Item], item: &Node) {
        let [key] = keys else { return };
        let name = |node: &Node| match node.get(key) {
            Some(Node::Str(name)) => Some(name.to_string()),
            _ => None,
        };
        let Some(new) = name(item) else { return };
        let known: Vec<String> = base.iter().filter_map(|item| name(&item.value)).collect();
        let near = nearest(&new, known.iter().map(String::as_str)).map(str::to_owned);
        let list = self.path.split_last().map_or(&[][..], |(_, list)| list).to_vec();
        let list = Path(&list);
        let mut path = self.path.clone();
        path.push(Step::Key((*key).to_owned()));
        if let Some(missing) = self.missing(inner, item) {
            let message =
                format!("`{list}` has no `{new}`, and one more of them needs `{missing}`");
            self.met.misnamed.push(ShapeError { path, message, nearest: near, unknown: false });
        } else if let Some(near) = near.filter(|_| !self.names.ends_with(&["env".to_owned()])) {
            let message = format!("`{list}` gets `{new}` beside `{near}`");
            self.met.alike.push(ShapeError { path, message, nearest: Some(near), unknown: false });
        }
    }

    /// A second item of the same name in one patch: which of the two is meant nobody knows.
    fn again(&mut self, keys: &[&'static str], item: &Node) {
        let Some(key) = keys.iter().find(|key| item.get(key).is_some()) else { return };
        let list = self.path.split_last().map_or(&[][..], |(_, list)| list).to_vec();
        let name = item.get(key).and_then(Node::as_str).unwrap_or_default();
        let message = format!("the patch says `{name}` of `{}` twice", Path(&list));
        let mut path = self.path.clone();
        path.push(Step::Key((*key).to_owned()));
        self.met.misnamed.push(ShapeError { path, message, nearest: None, unknown: false });
    }

    /// The way to a field that an item lacks and has to have, itself or inside of what it has to have.
    fn missing(&self, inner: &Kind, item: &Node) -> Option<String> {
        let name = match inner {
            Kind::Record(name) => name,
            Kind::List(inner, _) => {
                let Node::Seq(items) = item else { return None };
                return items.iter().find_map(|item| self.missing(inner, &item.value));
            }
            _ => return None,
        };
        let fields = self.shape.library.record(name)?.fields();
        // schemas leave these to templates of templates; every API server asks for them
        let has = |wanted: &str| fields.iter().any(|field| field.name == wanted);
        let is_container = name.ends_with("Containers") || *name == "Container";
        let is_template = has("metadata") && has("spec");
        let needed =
            |name: &str| (is_container && name == "image") || (is_template && name == "spec");
        let mut required = fields.iter().filter(|field| field.required || needed(field.name));
        required.find_map(|field| match item.get(field.name) {
            None => Some(field.name.to_owned()),
            Some(value) => {
                let inside = self.missing(&field.kind, value)?;
                Some(format!("{}.{inside}", field.name))
            }
        })
    }

    fn overrule(&mut self, is: &Node, then: &Node) {
        let told = self.told(is, then);
        self.met.overruled.push(told);
    }

    fn told(&self, is: &Node, then: &Node) -> Overruled {
        let (path, names) = (self.path.clone(), self.names.clone());
        Overruled { path, names, is: is.clone(), then: then.clone() }
    }
}

fn several(node: &Node) -> Vec<&Node> {
    match node {
        Node::Seq(items) => items.iter().map(|item| &item.value).collect(),
        one => vec![one],
    }
}
