project_id          = "my-project"
region              = "us-central1"
deletion_protection = true
