package packaging_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // registers a format
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // registers a format
	"go.yaml.in/yaml/v3"
)

// Release is what .goreleaser.yaml has of builds and packages.
type Release struct {
	Builds []Build    `yaml:"builds"`
	Nfpms  []Packages `yaml:"nfpms"`
	root   string     // directory of the file
}

// Build is how one binary is built.
type Build struct {
	ID      string   `yaml:"id"`
	Main    string   `yaml:"main"`
	Targets []string `yaml:"targets"`
	Flags   []string `yaml:"flags"`
	Tags    []string `yaml:"tags"`
	Ldflags []string `yaml:"ldflags"`
}

// Packages are those of one system, in several formats.
type Packages struct {
	Name        string               `yaml:"package_name"`
	FileName    string               `yaml:"file_name_template"`
	Vendor      string               `yaml:"vendor"`
	Homepage    string               `yaml:"homepage"`
	Maintainer  string               `yaml:"maintainer"`
	Description string               `yaml:"description"`
	License     string               `yaml:"license"`
	Section     string               `yaml:"section"`
	Priority    string               `yaml:"priority"`
	Formats     []string             `yaml:"formats"`
	Bindir      string               `yaml:"bindir"`
	RPM         RPM                  `yaml:"rpm"`
	Scripts     Scripts              `yaml:"scripts"`
	Overrides   map[string]Overrides `yaml:"overrides"`
	Contents    files.Contents       `yaml:"contents"`
}

// RPM are settings of that format.
type RPM struct {
	BuildHost string `yaml:"buildhost"` // that the package names
}

// Scripts run when a package is installed and removed.
type Scripts struct {
	PostInstall string `yaml:"postinstall"`
	PreRemove   string `yaml:"preremove"`
	PostRemove  string `yaml:"postremove"`
}

// Overrides are what one format has of its own.
type Overrides struct {
	Dependencies []string `yaml:"dependencies"`
}

// ReadRelease reads .goreleaser.yaml in a directory.
func ReadRelease(root string) (*Release, error) {
	text, err := os.ReadFile(filepath.Join(root, ".goreleaser.yaml"))
	if err != nil {
		return nil, err
	}
	r := &Release{root: root}
	if err := yaml.Unmarshal(text, r); err != nil {
		return nil, err
	}
	if len(r.Builds) == 0 || len(r.Nfpms) != 1 {
		return nil, errors.New(".goreleaser.yaml has no builds, or not one list of packages")
	}
	return r, nil
}

// BuildFor returns the build of a target, such as linux_amd64.
func (r *Release) BuildFor(target string) (Build, error) {
	for _, b := range r.Builds {
		if slices.Contains(b.Targets, target) {
			return b, nil
		}
	}
	return Build{}, fmt.Errorf(".goreleaser.yaml builds nothing for %s", target)
}

// Fields are what templates of .goreleaser.yaml can have, as far as they are used here.
type Fields struct{ ProjectName, Version, Os, Arch string }

// Expand returns the text of a template.
func (f Fields) Expand(text string) (string, error) {
	t, err := template.New("").Option("missingkey=error").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, f)
	return b.String(), err
}

// Write writes the packages of a binary into a directory, for a version without "v", and returns their paths by format. All times in
// them are that of the commit.
func (r *Release) Write(dir, binary string, f Fields, commit time.Time) (map[string]string, error) {
	paths := map[string]string{}
	for _, format := range r.Nfpms[0].Formats {
		name, err := f.Expand(r.Nfpms[0].FileName)
		if err != nil {
			return nil, err
		}
		paths[format] = filepath.Join(dir, name+"."+format)
		content, err := r.pack(format, binary, f, commit)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", format, err)
		}
		if err := os.WriteFile(paths[format], content, 0o644); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// pack returns one package. It fills in what goreleaser does.
func (r *Release) pack(format, binary string, f Fields, commit time.Time) ([]byte, error) {
	p := r.Nfpms[0]
	at := func(path string) string { return filepath.Join(r.root, path) }
	info := &nfpm.Info{
		Name: p.Name, Arch: f.Arch, Platform: f.Os, Version: f.Version, Section: p.Section, Priority: p.Priority, Maintainer: p.Maintainer,
		Description: p.Description, Vendor: p.Vendor, Homepage: p.Homepage, License: p.License, MTime: commit,
		Overridables: nfpm.Overridables{
			Depends: p.Overrides[format].Dependencies, Umask: 0o002, RPM: nfpm.RPM{BuildHost: p.RPM.BuildHost},
			Scripts: nfpm.Scripts{PostInstall: at(p.Scripts.PostInstall), PreRemove: at(p.Scripts.PreRemove), PostRemove: at(p.Scripts.PostRemove)},
		},
	}
	contents := files.Contents{{Source: binary, Destination: p.Bindir + "/toolresult", FileInfo: &files.ContentFileInfo{Mode: 0o755, MTime: commit}}}
	for _, c := range p.Contents {
		own := *c
		if c.Source != "" { // a directory has none
			own.Source = at(c.Source)
		}
		if c.FileInfo != nil {
			kept := *c.FileInfo
			kept.MTime = commit
			own.FileInfo = &kept
		}
		contents = append(contents, &own)
	}
	info.Contents = contents
	packager, err := nfpm.Get(format)
	if err != nil {
		return nil, err
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.PrepareForPackager(info, format); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = packager.Package(info, &b)
	return b.Bytes(), err
}
