"""A release that lies in parts: verified, held against its original, and attacked, without anybody holding it whole.

``folder`` reads one part in the words of the whole and has all of them asked; ``checks`` verifies,
``known_person`` reads as an attacker does. Who calls says where parts are looked at: one after another, by several
threads, or by the workers of a cluster.
"""
