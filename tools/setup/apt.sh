# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Copyright 2026 The rknpu-ork authors
#
# A private apt configuration in the cache: it reaches suites and an
# architecture that the machine itself does not have configured, and leaves
# the machine's own apt alone. The mirror is the one that the machine uses.

ORK_APT=$ORK_CACHE/apt
ORK_HOST_SUITE=bookworm
ORK_APT_MAX_AGE_MINUTES=60

# machine_site SUITE: address from which this machine gets SUITE.
machine_site() {
	# shellcheck disable=SC2016 # the $() are apt's own format
	apt-get indextargets --format '$(SITE) $(RELEASE) $(CODENAME)' |
		awk -v suite="$1" '$2 == suite || $3 == suite { print $1; exit }'
}

# machine_keyring SUITE: key file named by this machine's entry of SUITE.
machine_keyring() {
	local entry file

	entry=$(apt-get indextargets "Codename: $1" | sed -n 's/^Sourcesentry: //p' | head -n 1)
	file=$(sed -n 's/^Signed-By: *\(\/.*\)/\1/p; s/^deb .*signed-by=\([^] ,]*\).*/\1/p' \
		"${entry%:*}" 2>/dev/null | head -n 1)
	printf '%s\n' "${file:-/usr/share/keyrings/debian-archive-keyring.gpg}"
}

write_sources() {
	local site=$1 security=$2 keyring=$3
	local options="[arch=amd64,arm64 signed-by=$keyring]"

	echo "deb $options $site bookworm main"
	echo "deb $options $site bookworm-backports main"
	if [ -n "$security" ]; then
		echo "deb $options $security bookworm-security main"
	fi
	echo "deb-src [signed-by=$keyring] $site trixie main"
	echo "deb-src [signed-by=$keyring] $site sid main"
	echo "deb $options $site trixie-backports main"
}

write_apt_config() {
	cat <<-CONFIG
		Dir::State::lists "$ORK_APT/lists";
		Dir::Cache "$ORK_APT/cache";
		Dir::Etc::sourcelist "$ORK_APT/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		APT::Architectures { "amd64"; "arm64"; };
		APT::Sandbox::User "root";
		Acquire::Languages "none";
	CONFIG
}

private_apt() {
	# A machine that keeps no package cache (container images) must not
	# make each look-up parse all lists again.
	APT_CONFIG=$ORK_APT/apt.conf "$@" \
		-o Dir::Cache::pkgcache=pkgcache.bin \
		-o Dir::Cache::srcpkgcache=srcpkgcache.bin
}

# apt_ready: lists that are fresh enough to find packages that the mirror
# still has. Called only by steps that are about to download. A subshell, so
# that its lock does not replace the step's own.
apt_ready() (
	local site security keyring

	take_lock apt
	# Lists that an older checkout made may lack a suite.
	if [ -n "$(find "$ORK_APT/updated" -mmin "-$ORK_APT_MAX_AGE_MINUTES" 2>/dev/null)" ] &&
		grep -qs ' sid ' "$ORK_APT/sources.list"; then
		exit 0
	fi
	site=$(machine_site "$ORK_HOST_SUITE")
	if [ -z "$site" ]; then
		say "the machine's package lists are empty: apt-get update"
		logged apt-update as_root apt-get update
		site=$(machine_site "$ORK_HOST_SUITE")
	fi
	[ -n "$site" ] || die "apt on this machine has no entry for $ORK_HOST_SUITE: setup needs Debian 12"
	security=$(machine_site "$ORK_HOST_SUITE-security")
	keyring=$(machine_keyring "$ORK_HOST_SUITE")

	mkdir -p "$ORK_APT/lists/partial" "$ORK_APT/cache/archives/partial"
	write_sources "$site" "$security" "$keyring" >"$ORK_APT/sources.list"
	write_apt_config >"$ORK_APT/apt.conf"
	say "reading the package lists of bookworm, trixie, their backports, and sid"
	logged private-apt-update private_apt apt-get -q update -o APT::Update::Error-Mode=any
	touch "$ORK_APT/updated"
)

# versions PACKAGE SUITE...: its versions in these suites, newest first.
# SUITE "source:NAME" looks at source packages.
versions() {
	local package=$1
	shift

	private_apt apt-cache madison "$package" |
		awk -F ' *[|] *' -v suites="$*" '
			BEGIN { n = split(suites, list, " ") }
			{
				split($3, where, " ")
				suite = where[2]
				sub("/.*", "", suite)
				if (where[3] == "Sources")
					suite = "source:" suite
				for (i = 1; i <= n; i++)
					if (suite == list[i])
						print $2
			}' | sort -Vru
}

# newest PACKAGE SUITE...: its newest version there, or an end with a message.
newest() {
	local package=$1
	local found
	shift

	found=$(versions "$package" "$@" | head -n 1)
	[ -n "$found" ] || die "package '$package' is missing in suite(s): $*"
	printf '%s\n' "$found"
}

# fetch DIR PACKAGE=VERSION...: downloads .deb files into DIR.
fetch() {
	local dir=$1
	shift

	(cd "$dir" && logged download private_apt apt-get -q download "$@")
}

# fetch_source WORK PACKAGE=VERSION: unpacks a source package in WORK/tree.
fetch_source() {
	local name=${2%%=*}

	mkdir "$1/source"
	(
		cd "$1/source" || exit 1
		logged "$name-source" private_apt apt-get -q source --download-only "$2"
		logged "$name-unpack" dpkg-source --no-check -x "$name"_*.dsc "$1/tree"
	)
}
