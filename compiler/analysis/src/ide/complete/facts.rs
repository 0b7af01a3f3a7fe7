//! Facts of the catalog that fit here: what the machine, the zone and the platform around have.

use super::super::cards;
use super::place::Site;
use super::{Completer, CompletionKind, snippet};
use crate::rules::refuses;
use crate::types::{FactKind, Field, Type};
use slipform_model::catalog::{CapacityModel, Machine, MachineKind, Offer, Support, region_of};
use slipform_syntax::NodeRef;
use slipform_syntax::tree::{Expr, ExprKind, Stmt, StmtKind};

/// How the constructors of a capacity stand in the catalog.
const OBTAINED: [(&str, CapacityModel); 6] = [
    ("on_demand", CapacityModel::OnDemand),
    ("spot", CapacityModel::Spot),
    ("reservation", CapacityModel::Reservation),
    ("flex_start", CapacityModel::FlexStart),
    ("queued", CapacityModel::FlexStart),
    ("calendar", CapacityModel::Calendar),
];

/// Behind what the blueprint names itself.
const FACTS: u8 = 2;

impl Completer<'_, '_, '_> {
    pub(super) fn facts(&mut self, kind: FactKind) {
        self.cursor.asked_for_values();
        match kind {
            FactKind::Machine => self.machines(),
            FactKind::Zone => self.zones(),
            FactKind::Region => self.regions(),
        }
    }

    /// What is offered here goes first, and of that what has accelerators: who trains looks for them. Those with accelerators that are
    /// offered elsewhere alone are left out, but for a branch, whose condition may ask for the place.
    fn machines(&mut self) {
        let catalog = self.catalog;
        let in_branch = self.cursor.path.iter().any(is_branch);
        for machine in catalog.machines() {
            let plain = machine.accelerator.is_none() && machine.tpu.is_none();
            let far = self.is_far(machine);
            if !is_of(machine, self.place.site) || far && !plain && !in_branch {
                continue;
            }
            let elsewhere = self.place.site == Site::Own && machine.kind != MachineKind::Node;
            let rank = FACTS + 2 * u8::from(far || elsewhere) + u8::from(plain);
            self.text(&machine.name, cards::machine_line(machine), CompletionKind::Fact, rank);
        }
    }

    /// Whether the catalog knows that a machine is offered elsewhere alone.
    fn is_far(&self, machine: &Machine) -> bool {
        let here = self.place.zone.as_deref().or(self.place.region.as_deref());
        let offer = here.map(|here| self.catalog.offered(&machine.name, here));
        match offer {
            Some(Offer::Nowhere) => true,
            Some(Offer::InRegion) => self.place.zone.is_some(),
            _ => false,
        }
    }

    /// Those of the region around; first what has the machine, then what the blueprint names elsewhere.
    fn zones(&mut self) {
        let catalog = self.catalog;
        let machine = self.place.machine.as_deref();
        let offer = machine.and_then(|machine| catalog.offer_of(machine));
        let named = snippet::regions(self.analysis);
        let here = self.place.region.as_deref();
        let near = |zone: &String| here.is_none() || region_of(zone) == here;
        for zone in catalog.zones().into_iter().filter(near) {
            let offers = offer.is_some_and(|offer| offer.zones.contains(&zone));
            let detail = if offers { self.offers() } else { String::new() };
            let known = region_of(&zone).is_some_and(|region| named.iter().any(|it| it == region));
            let rank = FACTS + 2 * u8::from(!offers) + u8::from(!known);
            self.text(&zone, detail, CompletionKind::Fact, rank);
        }
    }

    fn regions(&mut self) {
        let catalog = self.catalog;
        let machine = self.place.machine.as_deref();
        let offer = machine.and_then(|machine| catalog.offer_of(machine));
        let named = snippet::regions(self.analysis);
        for region in catalog.regions() {
            let offers =
                offer.is_some_and(|offer| offer.regions.iter().any(|known| known == region));
            let detail = if offers { self.offers() } else { String::new() };
            let known = named.iter().any(|it| it == region);
            let rank = FACTS + 2 * u8::from(!offers) + u8::from(!known);
            self.text(region, detail, CompletionKind::Fact, rank);
        }
    }

    fn offers(&self) -> String {
        self.place.machine.as_ref().map(|machine| format!("offers {machine}")).unwrap_or_default()
    }

    /// Whether a field can have what a word says: a machine boots from some types of disks alone, and images of Google's clusters of Slurm have one
    /// release.
    pub(super) fn fits(&self, field: Option<&str>, word: &str) -> bool {
        match field {
            Some("disk_type") => {
                self.cursor.asked_for_values();
                let machine = self.place.machine.as_deref();
                let machine = machine.and_then(|name| self.catalog.machine(name));
                let boots = machine.map(|it| it.disk.boot.as_slice()).unwrap_or_default();
                boots.is_empty() || boots.iter().any(|known| known == word)
            }
            Some("release") => {
                let is_slurm = || self.platform().as_deref() == Some("slurm");
                let is_made = self.place.site == Site::Cloud && is_slurm() && !self.has_own_image();
                let newest = &self.catalog.slurm().image_slurm;
                !is_made || newest.strip_prefix(word).is_some_and(|rest| rest.starts_with('.'))
            }
            _ => true,
        }
    }

    /// Whether the noun around says what its machines start from.
    fn has_own_image(&self) -> bool {
        let body = self.cursor.decls().next().map(|decl| decl.body.as_slice()).unwrap_or_default();
        let is_image =
            |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Attr(it) if it.name.value == "image");
        body.iter().any(is_image)
    }

    /// A field with those of its words that it can have here.
    pub(super) fn narrowed(&self, name: &str, field: &Field) -> Field {
        let arms = field.ty.arms();
        let fits = |arm: &Type| match arm {
            Type::Word(word) => self.fits(Some(name), word),
            _ => true,
        };
        if arms.iter().all(fits) {
            return field.clone();
        }
        Field {
            ty: Type::union(arms.into_iter().filter(fits).collect::<Vec<_>>()),
            ..field.clone()
        }
    }

    /// Whether the machine around is obtained so, as far as anybody knows, and where it stands.
    pub(super) fn is_obtained(&self, form: &str) -> bool {
        let machine = self.place.machine.as_deref().and_then(|name| self.catalog.machine(name));
        let model = OBTAINED.iter().find(|(name, _)| *name == form).map(|(_, model)| *model);
        let is_capacity = self.place.field.as_deref() == Some("capacity");
        if is_capacity {
            self.cursor.asked_for_values();
        }
        let support = machine.zip(model).map(|(machine, model)| machine.capacity.support(model));
        let kind = self.place.kind.as_deref();
        let refused = || kind.is_some_and(|kind| refuses(kind, "capacity", form));
        !is_capacity || support != Some(Support::No) && !refused()
    }
}

fn is_branch(node: &NodeRef<'_>) -> bool {
    matches!(node, NodeRef::Expr(Expr { kind: ExprKind::If(..), .. }))
}

/// Whether a site has such nodes: those of one's own floor stand in a partition.
fn is_of(machine: &Machine, site: Site) -> bool {
    match site {
        Site::Any | Site::Own => true,
        Site::Cloud => machine.kind != MachineKind::Node,
        Site::Vertex => machine.kind != MachineKind::Node && machine.vertex.training,
    }
}
