"""The storages that tests run against."""

from records.owners import StorageType

IN_FILES = (StorageType.SQLITE, StorageType.JSON)  # the storages that need no server
