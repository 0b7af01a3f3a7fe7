"""Trains, by itself or as the chief of several machines; workers and parameter servers wait for what the chief gives them."""
import argparse
import os

import hypertune
import tensorflow as tf

from trainer.model import data, model, task


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--learning_rate", type=float, default=0.001)
    parser.add_argument("--width", type=float, default=128)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--optimizer", default="adam")
    parser.add_argument("--momentum", type=float, default=0.9)
    args = parser.parse_args()
    args.width = int(args.width)  # a discrete value of tuning is told as a float
    return args


def main() -> None:
    args, me = arguments(), task()
    if me["type"] in ("worker", "ps"):
        resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
        tf.distribute.Server(resolver.cluster_spec(), job_name=me["type"], task_index=me["index"], protocol="grpc").join()
    if "TF_CONFIG" in os.environ:
        strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.TFConfigClusterResolver())
    else:
        strategy = tf.distribute.MirroredStrategy()
    with strategy.scope():
        built = model(args)
    built.fit(data(), epochs=args.epochs, steps_per_epoch=128)
    scores = built.evaluate(data(), steps=32, return_dict=True)
    hypertune.HyperTune().report_hyperparameter_tuning_metric(hyperparameter_metric_tag="auc", metric_value=scores["auc"], global_step=args.epochs)
    built.save(os.environ.get("AIP_MODEL_DIR") or "/tmp/model")


main()
