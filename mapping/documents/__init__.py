"""The interface's documents: every `Svc::Model::*` type as a frozen value, and how they are read and written."""
