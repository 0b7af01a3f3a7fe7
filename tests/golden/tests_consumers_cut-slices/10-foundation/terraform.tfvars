project_id          = "my-project"
region              = "us-east5"
deletion_protection = true
