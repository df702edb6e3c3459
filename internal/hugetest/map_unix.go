//go:build darwin || linux

package hugetest

import "syscall"

const canProtect = true

func mapPages(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func unmap(pages []byte) error { return syscall.Munmap(pages) }

func protect(pages []byte, a Access) error {
	flags := [...]int{ReadWrite: syscall.PROT_READ | syscall.PROT_WRITE, ReadOnly: syscall.PROT_READ, None: syscall.PROT_NONE}
	return syscall.Mprotect(pages, flags[a])
}
