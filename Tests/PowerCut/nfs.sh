# An NFS server and its clients in one kernel. To be sourced by a guest with the exported file system at /mnt/disk.
#
# shellcheck shell=bash

nfs_serve() {
  modules nfsd nfs nfsv3 nfsv4 lockd
  ip link set lo up
  mount -t tmpfs tmpfs /var/lib/nfs
  mkdir -p /var/lib/nfs/v4recovery /var/lib/nfs/sm /var/lib/nfs/rpc_pipefs /run/rpc_pipefs
  touch /var/lib/nfs/etab /var/lib/nfs/rmtab
  mount -t nfsd nfsd /proc/fs/nfsd
  # No 90 seconds of grace after each start.
  echo 10 > /proc/fs/nfsd/nfsv4leasetime
  echo 10 > /proc/fs/nfsd/nfsv4gracetime
  rpcbind -w
  exportfs -o rw,no_root_squash,no_subtree_check,fsid=0,insecure 127.0.0.1:/mnt/disk
  rpc.mountd
  rpc.statd
  rpc.nfsd 4
}

# nfs_mount VERSION DIRECTORY: a client with caches of its own.
nfs_mount() {
  mkdir -p "$2"
  if [ "$1" = 3 ]; then
    mount -t nfs -o vers=3,nosharecache 127.0.0.1:/mnt/disk "$2"
  else
    mount -t nfs4 -o "vers=$1,nosharecache" 127.0.0.1:/ "$2"
  fi
}
