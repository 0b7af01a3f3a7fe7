project_id          = "my-project-ultra"
region              = "us-central1"
deletion_protection = true
