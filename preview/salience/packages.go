package salience

import "slices"

// packages are what package managers say of packages that cannot be had, or not together.
func packages() []Rule {
	return slices.Concat(
		// pip, conda
		say(Error, 92, 4, "No matching distribution", "Could not find a version that satisfies", "ResolutionImpossible", "conflicting dependencies", "conflict is caused by",
			"UnsatisfiableError", "PackagesNotFoundError", "ResolvePackageNotFound", "DO NOT MATCH THE HASHES"),
		say(Error, 84, 1, "which is incompatible", "Failed building wheel", "subprocess-exited-with-error", "Failed to build "),
		// npm, pnpm, yarn
		say(Error, 90, 10, "ERESOLVE"),
		say(Error, 88, 3, "Could not resolve dependency", "Conflicting peer dependency", "npm error code ", "npm ERR! code ", "ETARGET", "EINTEGRITY", "ERR_PNPM_", "Couldn't find package",
			"Couldn't find any versions"),
		// apt and dpkg
		say(Error, 90, 3, "E: Unable to ", "E: Package ", "E: Version ", "E: Some ", "E: Failed ", "E: Sub-process ", "E: The repository ", "E: Could not ", "held broken packages",
			"dpkg: error processing", "dependency problems", "Errors were encountered", "Hash Sum mismatch", "has no installation candidate"),
		say(Error, 84, 0, "not going to be installed", "is not installable"),
		say(Error, 64, 0, "NO_PUBKEY", "404  Not Found"), // apt goes on with what it has
		[]Rule{{Literal: "Depends: ", Place: Word, Reason: Error, Score: 84, only: saysBut}},
		// dnf and zypper
		say(Error, 90, 3, "conflicting requests", "cannot install the best", "No match for argument", "Unable to find a match"),
		// cargo, go, Bundler, Composer
		say(Error, 92, 6, "failed to select a version", "no matching package named", "requirements could not be resolved", "could not find compatible versions",
			"no required module provides"),
		say(Error, 84, 1, "... required by package", "could resolve this conflict", "unknown revision"),
		// Maven, Gradle, Homebrew, and whatever checks what it downloaded
		say(Error, 92, 2, "Could not resolve dependencies", "Could not find artifact", "Could not transfer artifact", "Non-resolvable parent POM", "What went wrong:",
			"No matching variant", "No available formula", "checksum mismatch", "hash mismatch"),
	)
}
