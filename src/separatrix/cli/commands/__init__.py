"""The commands, a file each; those for teachers share one."""
