# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
"""Builds the emulated board's root file system: a cpio archive (newc format).

The archive is written here and not by cpio(1), so that device nodes need no
root, and equal inputs give equal bytes.
"""

import lzma
import os
import re
import shutil
import stat

GUEST_LIBC_DIR = "/usr/aarch64-linux-gnu/lib"
GUEST_LIBC = ("ld-linux-aarch64.so.1", "libc.so.6", "libm.so.6", "libgcc_s.so.1")

# The way to the host, needed before anything can be reported.
TRANSPORT_MODULES = ("virtio_mmio", "virtio_console")
# What our driver builds on, and governors; loaded even without it, so that tests can insmod.
DRIVER_NEEDS = ("drm", "drm_shmem_helper", "gpu_sched", "governor_simpleondemand", "governor_userspace")

MAX_FILE_BYTES = 0xFFFFFFFF


class BoardError(Exception):
    """The board cannot be built from what is there."""


class Archive:
    """Entries by path; a later one replaces an earlier one."""

    def __init__(self):
        self._entries = {}

    def _add(self, path, mode, size=0, source=None, device=(0, 0)):
        path = os.fsencode(path).strip(b"/")
        parent = os.path.dirname(path)
        if parent and parent not in self._entries:
            self.directory(parent)
        self._entries[path] = (mode, size, source, device)

    def directory(self, path, mode=0o755):
        self._add(path, stat.S_IFDIR | mode)

    def symlink(self, path, target):
        target = os.fsencode(target)
        self._add(path, stat.S_IFLNK | 0o777, len(target), target)

    def device(self, path, major, minor):
        self._add(path, stat.S_IFCHR | 0o600, device=(major, minor))

    def data(self, path, content, mode=0o644):
        if isinstance(content, str):
            content = os.fsencode(content)
        self._add(path, stat.S_IFREG | mode, len(content), content)

    def file(self, path, host_path):
        """A host file, read only when the archive is written."""
        info = os.stat(host_path)
        if info.st_size > MAX_FILE_BYTES:
            raise BoardError(f"{host_path}: files of 4 GiB and more cannot be carried in")
        mode = 0o755 if info.st_mode & 0o111 else 0o644
        self._add(path, stat.S_IFREG | mode, info.st_size, host_path)

    def tree(self, path, host_dir):
        """A host folder with all that is below it."""
        for folder, subdirs, files in os.walk(host_dir):
            subdirs.sort()
            below = os.path.join(path, os.path.relpath(folder, host_dir))
            for name in sorted(files + [d for d in subdirs if os.path.islink(os.path.join(folder, d))]):
                source = os.path.join(folder, name)
                target = os.path.normpath(os.path.join(below, name))
                if os.path.islink(source):
                    self.symlink(target, os.readlink(source))
                else:
                    self.file(target, source)

    def write(self, stream):
        for number, (path, entry) in enumerate(self._entries.items(), 1):
            mode, size, source, device = entry
            _write_header(stream, number, path, mode, size, device)
            if isinstance(source, bytes):
                stream.write(source)
            elif source is not None:
                _copy_exactly(source, size, stream)
            stream.write(b"\0" * (-size % 4))
        _write_header(stream, 0, b"TRAILER!!!", 0, 0, (0, 0))


def _write_header(stream, number, path, mode, size, device):
    name = path + b"\0"
    fields = (number, mode, 0, 0, 1, 0, size, 0, 0, device[0], device[1], len(name), 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields) + name
    stream.write(header + b"\0" * (-len(header) % 4))


def _copy_exactly(host_path, size, stream):
    with open(host_path, "rb") as source:
        start = stream.tell()
        shutil.copyfileobj(source, stream, 1 << 20)
        if stream.tell() - start != size:
            raise BoardError(f"{host_path}: changed while it was read")


def _module_name(path):
    return os.path.basename(path).split(".")[0].replace("-", "_")


class KernelModules:
    """The modules of an unpacked kernel image, found by name.

    Dependencies come from the modules themselves ("depends=" in .modinfo):
    an unpacked image has no modules.dep yet.
    """

    def __init__(self, modules_dir):
        self._dir = modules_dir
        self._paths = self._read_names("modules.order")
        self._builtin = self._read_names("modules.builtin")
        self._content = {}

    def _read_names(self, list_name):
        with open(os.path.join(self._dir, list_name), encoding="ascii") as lines:
            return {_module_name(line.strip()): line.strip() for line in lines}

    def add(self, name, host_path):
        """Adds a module that is not part of the image."""
        with open(host_path, "rb") as source:
            self._content[name] = source.read()

    def content(self, name):
        if name not in self._content:
            self._content[name] = self._read(name)
        return self._content[name]

    def _read(self, name):
        if name not in self._paths:
            raise BoardError(f"kernel module {name} is not in {self._dir}")
        path = os.path.join(self._dir, self._paths[name])
        if os.path.exists(path):
            with open(path, "rb") as source:
                return source.read()
        with lzma.open(path + ".xz") as source:
            return source.read()

    def _depends(self, name):
        found = re.search(rb"\0depends=([^\0]*)\0", self.content(name))
        names = found.group(1).decode("ascii").split(",") if found else []
        return [dep.replace("-", "_") for dep in names if dep]

    def load_order(self, name):
        """NAME and all it needs, in the order in which they load."""
        if name in self._builtin:
            return []
        order = []
        for dep in self._depends(name):
            order += [other for other in self.load_order(dep) if other not in order]
        return order + [name]


def _add_modules(archive, modules, release, names):
    folder = f"usr/lib/modules/{release}"
    orders = {}
    for name in names:
        for member in modules.load_order(name):
            orders[member] = modules.load_order(member)
    lines = []
    for name, order in sorted(orders.items()):
        archive.data(f"{folder}/{name}.ko", modules.content(name))
        # modprobe loads the list from its end.
        needed = " ".join(f"{dep}.ko" for dep in reversed(order[:-1]))
        lines.append(f"{name}.ko: {needed}\n")
    archive.data(f"{folder}/modules.dep", "".join(lines))
    return orders


def _add_base(archive, init, busybox, sysroot):
    for path in ("usr/bin", "usr/sbin", "usr/lib", "dev", "proc", "sys", "run", "root", "tmp", "etc"):
        archive.directory(path)
    for name in ("bin", "sbin", "lib"):
        archive.symlink(name, f"usr/{name}")
    archive.device("dev/console", 5, 1)
    archive.device("dev/null", 1, 3)
    archive.file("init", init)
    archive.file("usr/bin/busybox", busybox)
    archive.symlink("usr/bin/sh", "busybox")
    archive.data("etc/passwd", "root:x:0:0:root:/root:/bin/sh\n")
    archive.data("etc/group", "root:x:0:\n")
    for name in GUEST_LIBC:
        archive.file(f"usr/lib/{name}", os.path.join(GUEST_LIBC_DIR, name))
    archive.file("usr/lib/libdrm.so.2", os.path.join(sysroot, "usr/lib/aarch64-linux-gnu/libdrm.so.2"))


def shell_quote(argument):
    return b"'" + os.fsencode(argument).replace(b"'", b"'\\''") + b"'"


def _command_script(command):
    return b"exec " + b" ".join(shell_quote(word) for word in command) + b"\n"


def _collect_script(paths):
    return b"".join(b"send %d %s\n" % (i, shell_quote(path)) for i, path in enumerate(paths))


def build(stream, *, init, paths, kernel_dir, guest_dir, driver, load_driver, more_modules, command, marker,
          puts, gets):
    """Writes the archive for one run to STREAM.

    PATHS is what tools/setup/paths.sh prints; DRIVER is the module file or
    None; MORE_MODULES are loaded before it; MARKER ends the command's output;
    PUTS are (host path, guest path) pairs; GETS are guest paths.
    """
    archive = Archive()
    _add_base(archive, init, paths["ORK_GUEST_BUSYBOX"], paths["ORK_GUEST_SYSROOT"])
    archive.tree("usr", guest_dir)

    with open(os.path.join(kernel_dir, "release"), encoding="ascii") as text:
        release = text.read().strip()
    modules = KernelModules(os.path.join(kernel_dir, "modules"))
    first = DRIVER_NEEDS + tuple(more_modules)
    names = list(TRANSPORT_MODULES + first)
    if driver:
        driver_name = _module_name(driver)
        modules.add(driver_name, driver)
        names.append(driver_name)
        if load_driver:
            archive.data("etc/ork-board/driver", driver_name)
    loadable = _add_modules(archive, modules, release, names)

    for list_name, members in (("transport", TRANSPORT_MODULES), ("modules", first)):
        archive.data(f"etc/ork-board/{list_name}", "".join(f"{m}\n" for m in members if m in loadable))
    archive.data("etc/ork-board/marker", marker)
    archive.data("etc/ork-board/command", _command_script(command))
    archive.data("etc/ork-board/collect", _collect_script(gets))
    for host_path, guest_path in puts:
        archive.file(guest_path, host_path)
    archive.write(stream)
