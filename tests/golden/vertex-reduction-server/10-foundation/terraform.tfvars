project_id = "my-project"
region     = "us-central1"
