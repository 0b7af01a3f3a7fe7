//! x
use super::Plan;
use crate::{NounId, Value};
#[derive(Clone, Debug)]
pub(crate) struct Spec {}
pub(crate) fn specs(_plan: &Plan) -> std::collections::BTreeMap<NounId, Spec> { Default::default() }
/// x
pub struct Fact {}
/// x
pub fn facts(_plan: &Plan, _id: NounId, _name: &str) -> Option<Value> { None }
