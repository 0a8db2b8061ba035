"""The storages that tests run against."""

from records.owners import StorageType

FILE_STORAGES = (StorageType.SQLITE, StorageType.JSON)  # the storages that need no server
