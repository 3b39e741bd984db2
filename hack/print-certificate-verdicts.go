// Says what Go makes of requests for certificates: for each line of the input, which is a request in DER and base64, a
// line with what is wrong with it ("parse", "signature"), or with the part of the certificate that an authority signs, in
// base64. The authority has no key identifier; number and times are always the same.
package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"fmt"
	"math/big"
	"os"
	"time"
)

var validity = []time.Time{time.Unix(1900000000, 0), time.Unix(1900003600, 0)}

func main() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	authority := &x509.Certificate{Subject: pkix.Name{CommonName: "authority"}, PublicKey: key.Public()}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		der, err := base64.StdEncoding.DecodeString(lines.Text())
		if err != nil {
			panic(err)
		}
		fmt.Fprintln(out, verdict(der, authority, key))
	}
}

func verdict(der []byte, authority *x509.Certificate, key *ecdsa.PrivateKey) string {
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return "parse"
	}
	if request.CheckSignature() != nil {
		return "signature"
	}
	wanted := &x509.Certificate{
		SerialNumber: big.NewInt(7),
		Subject:      request.Subject, DNSNames: request.DNSNames, EmailAddresses: request.EmailAddresses,
		IPAddresses: request.IPAddresses, URIs: request.URIs,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
		BasicConstraintsValid: true,
		NotBefore:             validity[0],
		NotAfter:              validity[1],
	}
	signed, err := x509.CreateCertificate(rand.Reader, wanted, authority, request.PublicKey, key)
	if err != nil {
		return "create"
	}
	certificate, err := x509.ParseCertificate(signed)
	if err != nil {
		return "unreadable"
	}
	return base64.StdEncoding.EncodeToString(certificate.RawTBSCertificate)
}
