transfer-admins-export = Only the admins of this group can export its memory.
transfer-admins-import = Only the admins of this group can import into its memory.
