//! The tables of the catalog. A new table is its row's struct and one line here: reading, checking of
//! sources and dates, baking, looking up and correcting go through [`Row`], [`Each`] and [`Make`].

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::rows::{
    AttachableGpu, Component, CostlyOption, CostlyVariable, Gpu, ImageForm, KubernetesFacts,
    KueueRelease, Limit, Limits, Machine, Misplaced, OptionRules, OptionTable, OtherPackage,
    PublishedModel, Region, SliceTable, SlurmFacts, SlurmMachine, Source, Stack, Tpu, VariableForm,
    VertexFacts, VertexRegion, ZoneOffer,
};

tables! {
    rows {
        /// Machines by name.
        machines: Machine = "machine" by name,
        /// GPUs by name.
        gpus: Gpu = "gpu" by name,
        /// Attachable GPUs by GPU.
        attachables: AttachableGpu = "attachable" by gpu,
        /// TPU generations.
        tpus: Tpu = "tpu" by generation,
        /// Slices by generation.
        slices: SliceTable = "slices" by generation,
        /// Places by what is offered.
        offers: ZoneOffer = "offer" by name,
        /// Regions by name.
        regions: Region = "region" by name,
        /// Vertex AI by region.
        vertex_regions: VertexRegion = "vertex_region" by region,
        /// Stacks by name.
        stacks: Stack = "stack" by name,
        /// Slurm's view by machine.
        slurm_machines: SlurmMachine = "slurm_machine" by machine,
        /// Installed components by name.
        components: Component = "component" by name,
        /// Kueue's own configurations by the first release with each.
        kueue_releases: KueueRelease = "kueue_release" by since,
        /// Options of launchers and frameworks.
        options: OptionTable = "options" by of,
        /// What options ask of each other, by framework.
        option_rules: OptionRules = "option_rules" by of and programs and marks,
        /// How variables are read.
        variable_forms: VariableForm = "variable_forms" by of and names,
        /// Values of variables that cost a run more than they give it.
        costly_variables: CostlyVariable = "costly_variables" by of and names,
        /// Values of options that no run of many hours wants.
        costly_options: CostlyOption = "costly_options" by of and names,
        /// What a bucket does not hold.
        misplaced: Misplaced = "misplaced" by of,
        /// Names on the index of Python that are other projects.
        other_packages: OtherPackage = "other_packages" by name,
        /// Tags of images by repository.
        image_forms: ImageForm = "image_forms" by repository,
        /// Published models by name.
        published: PublishedModel = "published" by name,
        /// Limits by path: the sheet of limits once more, and others that only rules ask for.
        limit: Limit = "limits" by path,
    }
    sheets {
        /// The typed limits.
        limits: Limits = "limits",
        /// Kubernetes.
        kubernetes: KubernetesFacts = "kubernetes",
        /// Slurm.
        slurm: SlurmFacts = "slurm",
        /// Vertex AI.
        vertex: VertexFacts = "vertex",
    }
}

/// What can be written to the binary form and read back.
pub trait Stored: Clone + Serialize + DeserializeOwned + Send + Sync + 'static {}

impl<T: Clone + Serialize + DeserializeOwned + Send + Sync + 'static> Stored for T {}

/// A row that is found by a key in its table.
pub trait Row: Stored {
    /// The word for such a row in messages, and the name of its table in the files.
    const TABLE: &'static str;
    /// The field that names a row.
    const KEY: &'static str;
    /// The value of that field.
    fn key(&self) -> &str;
    /// The words that it is found by besides.
    fn names(&self) -> Vec<&str>;
    /// Where it comes from; nothing for a source itself.
    fn origin(&self) -> Option<Origin<'_>>;
    /// States it on another day.
    fn date(&mut self, day: &str);
    /// Its table.
    fn of<F: Form>(tables: &Tables<F>) -> &F::Rows<Self>;
    /// Its table, to be added to.
    fn of_mut<F: Form>(tables: &mut Tables<F>) -> &mut F::Rows<Self>;
}

/// Facts that the catalog has once.
pub trait Sheet: Stored {
    /// The name of its table in the files.
    const TABLE: &'static str;
    /// Where it stands.
    fn of<F: Form>(tables: &Tables<F>) -> &F::Sheet<Self>;
    /// Where it stands, to be filled.
    fn of_mut<F: Form>(tables: &mut Tables<F>) -> &mut F::Sheet<Self>;
}

/// Where a row comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin<'a> {
    /// Keys of the sources table.
    pub source: &'a [String],
    /// The day the fact was stated, `YYYY-MM-DD`.
    pub date: &'a str,
}

/// How tables are kept: [`Typed`] as files are read, encoded behind their keys once they are baked.
pub trait Form {
    /// The rows of one table.
    type Rows<T: Row>;
    /// What stands once.
    type Sheet<T: Sheet>;
}

/// Rows by key, and a sheet where a file has it.
pub struct Typed;

impl Form for Typed {
    type Rows<T: Row> = BTreeMap<String, T>;
    type Sheet<T: Sheet> = Option<T>;
}

/// Names of rows alone.
pub struct Keys;

impl Form for Keys {
    type Rows<T: Row> = BTreeSet<String>;
    type Sheet<T: Sheet> = ();
}

/// Something that is done for every table, in the order of the list.
pub trait Each {
    /// For the table of these rows.
    fn rows<T: Row>(&mut self);
    /// For this sheet.
    fn sheet<T: Sheet>(&mut self);
}

/// What fills tables, in the order of the list.
pub trait Make<F: Form> {
    /// The rows of one table.
    fn rows<T: Row>(&mut self) -> F::Rows<T>;
    /// One sheet.
    fn sheet<T: Sheet>(&mut self) -> F::Sheet<T>;
}

/// Rows that exist before files are read.
pub trait Known {
    /// A row by its key.
    fn row<T: Row>(&self, key: &str) -> Option<&T>;
    /// Every row of a table.
    fn all<T: Row>(&self) -> Box<dyn Iterator<Item = &T> + '_>;
    /// A sheet.
    fn sheet<T: Sheet>(&self) -> Option<&T>;
}

/// Where no row exists beforehand.
pub struct Nothing;

impl Known for Nothing {
    fn row<T: Row>(&self, _key: &str) -> Option<&T> {
        None
    }
    fn all<T: Row>(&self) -> Box<dyn Iterator<Item = &T> + '_> {
        Box::new(std::iter::empty())
    }
    fn sheet<T: Sheet>(&self) -> Option<&T> {
        None
    }
}

impl Default for Tables<Typed> {
    fn default() -> Self {
        struct Empty;
        impl Make<Typed> for Empty {
            fn rows<T: Row>(&mut self) -> BTreeMap<String, T> {
                BTreeMap::new()
            }
            fn sheet<T: Sheet>(&mut self) -> Option<T> {
                None
            }
        }
        Self::make(String::new(), &mut Empty)
    }
}

impl Default for Tables<Keys> {
    fn default() -> Self {
        struct Empty;
        impl Make<Keys> for Empty {
            fn rows<T: Row>(&mut self) -> BTreeSet<String> {
                BTreeSet::new()
            }
            fn sheet<T: Sheet>(&mut self) {}
        }
        Self::make(String::new(), &mut Empty)
    }
}

impl Tables<Typed> {
    /// Puts the rows of `later` in place of those with the same key.
    pub fn extend(&mut self, later: Self) {
        struct Join<'a> {
            earlier: &'a mut Tables<Typed>,
            later: Tables<Typed>,
        }
        impl Each for Join<'_> {
            fn rows<T: Row>(&mut self) {
                T::of_mut(self.earlier).append(T::of_mut(&mut self.later));
            }
            fn sheet<T: Sheet>(&mut self) {
                if let Some(sheet) = T::of_mut(&mut self.later).take() {
                    *T::of_mut(self.earlier) = Some(sheet);
                }
            }
        }
        if later.as_of > self.as_of {
            self.as_of.clone_from(&later.as_of);
        }
        Self::each(&mut Join { earlier: self, later });
    }
}

/// Not a table of facts, but where facts come from: it has no line above.
impl Row for Source {
    const TABLE: &'static str = "sources";
    const KEY: &'static str = "key";
    fn key(&self) -> &str {
        &self.key
    }
    fn names(&self) -> Vec<&str> {
        Vec::new()
    }
    fn origin(&self) -> Option<Origin<'_>> {
        None
    }
    fn date(&mut self, _day: &str) {}
    fn of<F: Form>(tables: &Tables<F>) -> &F::Rows<Self> {
        &tables.sources
    }
    fn of_mut<F: Form>(tables: &mut Tables<F>) -> &mut F::Rows<Self> {
        &mut tables.sources
    }
}

/// From `field: Type = "its table in the files" by key_field` to everything that knows every table.
macro_rules! tables {
    (
        rows { $($(#[$doc:meta])* $field:ident: $row:ty = $table:literal by $key:ident $(and $names:ident)*,)* }
        sheets { $($(#[$about:meta])* $place:ident: $sheet:ty = $name:literal,)* }
    ) => {
        /// Every table of the catalog.
        pub struct Tables<F: Form> {
            /// Newest `as_of` of the files.
            pub as_of: String,
            /// Sources by key.
            pub sources: F::Rows<Source>,
            $($(#[$doc])* pub $field: F::Rows<$row>,)*
            $($(#[$about])* pub $place: F::Sheet<$sheet>,)*
        }

        impl<F: Form> Tables<F> {
            /// Fills every table.
            pub fn make(as_of: String, maker: &mut impl Make<F>) -> Self {
                Self {
                    as_of,
                    sources: maker.rows(),
                    $($field: maker.rows(),)*
                    $($place: maker.sheet(),)*
                }
            }

            /// Does something for every table.
            pub fn each(it: &mut impl Each) {
                it.rows::<Source>();
                $(it.rows::<$row>();)*
                $(it.sheet::<$sheet>();)*
            }
        }

        impl Clone for Tables<Typed> {
            fn clone(&self) -> Self {
                Self {
                    as_of: self.as_of.clone(),
                    sources: self.sources.clone(),
                    $($field: self.$field.clone(),)*
                    $($place: self.$place.clone(),)*
                }
            }
        }

        $(impl Row for $row {
            const TABLE: &'static str = $table;
            const KEY: &'static str = stringify!($key);
            fn key(&self) -> &str {
                &self.$key
            }
            fn names(&self) -> Vec<&str> {
                let lists: &[&Vec<String>] = &[$(&self.$names),*];
                lists.iter().flat_map(|list| list.iter().map(String::as_str)).collect()
            }
            fn origin(&self) -> Option<Origin<'_>> {
                Some(Origin { source: &self.source, date: &self.date })
            }
            fn date(&mut self, day: &str) {
                day.clone_into(&mut self.date);
            }
            fn of<F: Form>(tables: &Tables<F>) -> &F::Rows<Self> {
                &tables.$field
            }
            fn of_mut<F: Form>(tables: &mut Tables<F>) -> &mut F::Rows<Self> {
                &mut tables.$field
            }
        })*

        $(impl Sheet for $sheet {
            const TABLE: &'static str = $name;
            fn of<F: Form>(tables: &Tables<F>) -> &F::Sheet<Self> {
                &tables.$place
            }
            fn of_mut<F: Form>(tables: &mut Tables<F>) -> &mut F::Sheet<Self> {
                &mut tables.$place
            }
        })*
    };
}
use tables;
