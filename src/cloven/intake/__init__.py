"""The door by which everything comes in: plain files of a known size, and never more unpacked than was allowed.

``files`` opens what is a file and nothing else; ``packing`` takes bytes out of gzip, zstd, zip and tar against one
budget; ``pages`` tells what a Parquet file unpacks to before it is read; ``machine`` how much memory there is.
"""
