# The medium: a file that holds a file system, itself on an XFS of ours whose power can be cut. To be sourced.
#
#   medium_make            an XFS in memory, mounted at $medium; everything below is on it
#   image_make KIND        a new file system of that kind in $medium/image
#   image_attach WAY       mounts it at $inner, through a loop device as WAY needs it
#   image_detach           unmounts it
#   image_copy FILE        what is on the medium at this moment
#   cut_file_system        the file system of the image stops, as if the power went (ext4, XFS)
#   cut_medium             the medium stops and forgets what nobody synchronised
#
# A copy is one FICLONE. XFS takes the file's lock for it and waits for the direct writes that are under way, so each
# request to the loop device is in the copy or is not, and each that the device had finished is. That is a power cut
# of a disk that loses no finished write.
#
# To cut the medium is the opposite: the loop device's writes go to the page cache of the image's file, a flush is an
# fsync of that file, and FS_IOC_SHUTDOWN without a flush of the log takes everything after the last one away, except
# what was written back by chance. That is a power cut of a disk with a cache.
#
# shellcheck shell=bash

medium_make() {
  scratch=$(mktemp -d /dev/shm/power-cut.XXXXXX)
  medium=$scratch/medium inner=$scratch/inner
  mkdir "$medium" "$inner"
  trap medium_remove EXIT
  # Sparse: only what is written takes memory.
  truncate -s 8G "$scratch/disk"
  mkfs.xfs -q -m reflink=1 "$scratch/disk"
  mount -o loop "$scratch/disk" "$medium"
}

# Also after a failure, where any of it may be there or dead.
medium_remove() {
  umount "$inner" 2>/dev/null || true
  [ -z "${device:-}" ] || losetup -d "$device" 2>/dev/null || true
  umount "$medium" 2>/dev/null || true
  rm -rf "$scratch"
}

image_make() {
  rm -f "$medium/image"
  # Large enough for what a fast program keeps for undoing, and sparse; sectors of 4096 bytes, because direct writes to a
  # file that a copy shares are not smaller.
  case $1 in
    ext4) truncate -s 1G "$medium/image" && mkfs.ext4 -q -F -b 4096 "$medium/image" ;;
    xfs) truncate -s 1G "$medium/image" && mkfs.xfs -q -s size=4096 "$medium/image" ;;
    btrfs) truncate -s 1G "$medium/image" && mkfs.btrfs -q "$medium/image" >/dev/null ;;
  esac
  sync -f "$medium"
}

image_attach() {
  local direct=off
  [ "$1" != copy ] || direct=on
  device=$(losetup --find --show --sector-size 4096 --direct-io=$direct "${2:-$medium/image}")
  mount "$device" "$inner"
}

image_detach() {
  unmount "$inner"
  losetup -d "$device"
  device=""
}

image_copy() { cp --reflink=always "$medium/image" "$1"; }

cut_file_system() { xfs_io -x -c shutdown "$inner"; }

cut_medium() { xfs_io -x -c shutdown "$medium"; }

medium_restart() {
  unmount "$medium"
  mount -o loop "$scratch/disk" "$medium"
}

# A program that was killed a moment ago may not be gone yet.
unmount() {
  for _ in {1..100}; do
    umount "$1" 2>/dev/null && return
    sleep 0.05
  done
  umount "$1"
}
