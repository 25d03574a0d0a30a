// Package tlstest gives tests a certificate for 127.0.0.1 and example.com.
package tlstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Files returns the PEM files of a certificate and its key, and the configuration of a client that trusts it.
func Files(t testing.TB) (certFile, keyFile string, client *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotAfter:     time.Now().Add(time.Hour),
		DNSNames:     []string{"example.com"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	check(t, err)
	encodedKey, err := x509.MarshalPKCS8PrivateKey(key)
	check(t, err)

	directory := t.TempDir()
	certFile, keyFile = filepath.Join(directory, "cert.pem"), filepath.Join(directory, "key.pem")
	write(t, certFile, &pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	write(t, keyFile, &pem.Block{Type: "PRIVATE KEY", Bytes: encodedKey})
	parsed, err := x509.ParseCertificate(certificate)
	check(t, err)
	trusted := x509.NewCertPool()
	trusted.AddCert(parsed)
	return certFile, keyFile, &tls.Config{RootCAs: trusted, ServerName: "example.com"}
}

// Configs returns the configuration of a server, and of a client that trusts it.
func Configs(t testing.TB) (server, client *tls.Config) {
	t.Helper()
	certFile, keyFile, client := Files(t)
	certificate, err := tls.LoadX509KeyPair(certFile, keyFile)
	check(t, err)
	return &tls.Config{Certificates: []tls.Certificate{certificate}}, client
}

func write(t testing.TB, path string, block *pem.Block) {
	t.Helper()
	check(t, os.WriteFile(path, pem.EncodeToMemory(block), 0o600))
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
