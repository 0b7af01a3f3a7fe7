# identity workloads
data "google_service_account" "workloads" {
  account_id = "cloud-tpu-sa"
}
