//go:build !darwin && !linux

package hugetest

import "errors"

const canProtect = false

func mapPages(int) ([]byte, error) { return nil, errors.ErrUnsupported }
func unmap([]byte) error           { return nil }
func protect([]byte, Access) error { return errors.ErrUnsupported }
