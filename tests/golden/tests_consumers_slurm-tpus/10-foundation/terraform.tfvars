project_id          = "my-project"
region              = "us-central2"
deletion_protection = true
