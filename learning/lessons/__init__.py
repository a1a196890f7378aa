"""One folder a kernel: everything its author writes."""
