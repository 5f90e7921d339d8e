package content

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"syscall"

	"berth/hub/worker/durable"
)

// Collect deletes every content whose digest is not in keep, and then every blob that
// no content needs and nobody holds. It goes on after a failure and returns all of them.
//
// The caller makes sure that nothing begins to use a content, by deciding on keep and by
// calling Collect, while another might.
func (s *Store) Collect(keep map[string]bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.collectContent(keep)
	if err2 := s.collectBlobs(); err == nil {
		err = err2
	}
	if err != nil {
		return fmt.Errorf("delete unused content: %w", err)
	}
	return nil
}

func (s *Store) collectContent(keep map[string]bool) error {
	entries, err := fs.ReadDir(s.root.FS(), contentDir)
	for _, entry := range entries {
		if !keep[entry.Name()] && !durable.IsTemp(entry.Name()) {
			err = errors.Join(err, s.removeWhole(path.Join(contentDir, entry.Name())))
		}
	}
	return err
}

func (s *Store) collectBlobs() error {
	return fs.WalkDir(s.root.FS(), blobsDir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || durable.IsTemp(name) || s.held[entry.Name()] > 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if links(info) > 1 {
			return nil
		}
		return s.root.Remove(name)
	})
}

// links returns how many names the file has.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
