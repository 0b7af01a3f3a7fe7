//! What tuning says, each word changed.

use super::{Change, change};

/// Every field of it.
pub(super) const TUNING: &[Change] = &[
    change(
        "tuning",
        "",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4 }",
    ),
    change(
        "tuning.metrics",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4 }",
        "tuning = { metrics = { loss = \"maximize\" }, parameters = { a = integer(1, 2) }, trials = 4 }",
    ),
    change(
        "tuning.parameters",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 2) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.min",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = double(0.5, 9) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = double(1.5, 9) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.max",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = double(0.5, 8) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = double(0.5, 9) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.scale",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = double(0.5, 9) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = double(0.5, 9, scale = \"log\") }, trials = 4 }",
    ),
    change(
        "tuning.parameters.min",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 9) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(2, 9) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.max",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 8) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 9) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.scale",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 9) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 9, scale = \"log\") }, trials = 4 }",
    ),
    change(
        "tuning.parameters.values",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = categorical([\"x\"]) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = categorical([\"x\", \"y\"]) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.values",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = discrete([1]) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = discrete([1, 2.5]) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.scale",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = discrete([1]) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = discrete([1], scale = \"reverse_log\") }, trials = 4 }",
    ),
    change(
        "tuning.parameters.under",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), a = double(1, 2) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), a = double(1, 2, under = parent(\"b\", [1])) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.under",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), a = integer(1, 2) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), a = integer(1, 2, under = parent(\"b\", [1])) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.under",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), a = categorical([\"x\"]) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), a = categorical([\"x\"], under = parent(\"b\", [1])) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.under",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), a = discrete([1]) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), a = discrete([1], under = parent(\"b\", [1])) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.under.parameter",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), c = integer(1, 3), a = double(1, 2, under = parent(\"b\", [1])) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), c = integer(1, 3), a = double(1, 2, under = parent(\"c\", [1])) }, trials = 4 }",
    ),
    change(
        "tuning.parameters.under.values",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), a = double(1, 2, under = parent(\"b\", [1])) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { b = integer(1, 3), a = double(1, 2, under = parent(\"b\", [2, 3])) }, trials = 4 }",
    ),
    change(
        "tuning.trials",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 5 }",
    ),
    change(
        "tuning.parallel",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, parallel = 2 }",
    ),
    change(
        "tuning.failures",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, failures = 2 }",
    ),
    change(
        "tuning.algorithm",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, algorithm = \"random\" }",
    ),
    change(
        "tuning.measurement",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, measurement = \"best\" }",
    ),
    change(
        "tuning.early_stopping",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4 }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = median() }",
    ),
    change(
        "tuning.early_stopping.elapsed",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = median() }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = median(elapsed = true) }",
    ),
    change(
        "tuning.early_stopping.elapsed",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = decay_curve() }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = decay_curve(elapsed = true) }",
    ),
    change(
        "tuning.early_stopping.elapsed",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex() }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex(elapsed = true) }",
    ),
    change(
        "tuning.early_stopping.max_steps",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex() }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex(max_steps = 9) }",
    ),
    change(
        "tuning.early_stopping.min_steps",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex() }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex(min_steps = 3) }",
    ),
    change(
        "tuning.early_stopping.min_measurements",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex() }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex(min_measurements = 4) }",
    ),
    change(
        "tuning.early_stopping.learning_rate",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex() }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex(learning_rate = \"a\") }",
    ),
    change(
        "tuning.early_stopping.update_all",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex() }",
        "tuning = { metrics = { loss = \"minimize\" }, parameters = { a = integer(1, 2) }, trials = 4, early_stopping = convex(update_all = true) }",
    ),
];
