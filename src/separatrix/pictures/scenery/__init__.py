"""Parts of scenes, a file each: what there is to see of a kind, computed exactly and put into the plane of a picture."""
