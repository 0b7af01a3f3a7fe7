project_id          = "my-project-dev"
region              = "us-central2"
deletion_protection = true
