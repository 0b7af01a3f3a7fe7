"""What all roles share: who a machine is, the data and the model."""
import json
import os

import tensorflow as tf

FEATURES, ROWS = 64, 65536


def task() -> dict:
    """Who this machine is: Vertex AI says it in TF_CONFIG where there are several, and in CLUSTER_SPEC in any case."""
    spec = json.loads(os.environ.get("CLUSTER_SPEC", "{}"))
    print("CLUSTER_SPEC:", json.dumps({"cluster": spec.get("cluster"), "task": spec.get("task")}), flush=True)
    return json.loads(os.environ.get("TF_CONFIG", "{}")).get("task", {"type": "chief", "index": 0})


def data(batch: int = 512) -> tf.data.Dataset:
    """Made-up rows, of which a third of the features decide."""
    generator = tf.random.Generator.from_seed(1)
    rows = generator.normal((ROWS, FEATURES))
    labels = tf.cast(tf.reduce_sum(rows[:, : FEATURES // 3], axis=1) > 0, tf.float32)
    return tf.data.Dataset.from_tensor_slices((rows, labels)).shuffle(ROWS).repeat().batch(batch)


def model(args) -> tf.keras.Model:
    """Layers of one width."""
    layers = [tf.keras.layers.Dense(args.width, "relu") for _ in range(args.layers)]
    built = tf.keras.Sequential([tf.keras.Input((FEATURES,)), *layers, tf.keras.layers.Dense(1, "sigmoid")])
    optimizers = {"adam": tf.keras.optimizers.Adam(args.learning_rate), "sgd": tf.keras.optimizers.SGD(args.learning_rate, args.momentum)}
    built.compile(optimizers[args.optimizer], "binary_crossentropy", metrics=[tf.keras.metrics.AUC(name="auc")])
    return built
