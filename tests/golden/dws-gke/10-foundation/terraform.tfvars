project_id          = "my-project-dev"
region              = "us-central1"
deletion_protection = true
