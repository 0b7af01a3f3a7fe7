"""A recommender on made-up data, in the four roles of TensorFlow."""
