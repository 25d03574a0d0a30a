//! `#[derive(UbfStruct)]`: a struct whose members are fields of a [`ubf`](../ubf/index.html) buffer.
//!
//! Each member names its field: `#[ubf(field = MESSAGE)]`. `Option` is a field that may be absent, `Vec` one that may
//! occur often, and a struct that derives this is stored as a nested buffer.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, Lifetime, Path, Result, Type, parse_macro_input};

/// Implements `ubf::UbfStruct` for a struct with named members, each with `#[ubf(field = NAME)]`.
#[proc_macro_derive(UbfStruct, attributes(ubf))]
pub fn derive_ubf_struct(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    implementation(&input).unwrap_or_else(|error| error.to_compile_error()).into()
}

/// A member, its type, and the constant that is its field.
struct Member<'a> {
    name: &'a Ident,
    of_type: &'a Type,
    field: Path,
}

fn implementation(input: &DeriveInput) -> Result<Tokens> {
    let members = members(input)?;
    let name = &input.ident;
    let (life, generics) = lifetime(input)?;
    let adds = members.iter().map(|Member { name, of_type, field }| {
        quote_spanned! {of_type.span()=> ::ubf::UbfField::add_to(&self.#name, #field, buffer)?;}
    });
    let reads = members.iter().map(|Member { name, of_type, field }| {
        quote_spanned! {of_type.span()=> #name: ::ubf::UbfField::read_from(#field, view)?,}
    });
    Ok(quote! {
        impl<#life> ::ubf::UbfStruct<#life> for #name #generics {
            fn add_to(&self, buffer: &mut ::ubf::Buffer) -> ::core::result::Result<(), ::ubf::UbfError> {
                #(#adds)*
                ::core::result::Result::Ok(())
            }

            fn read_from(view: ::ubf::View<#life>) -> ::core::result::Result<Self, ::ubf::UbfError> {
                ::core::result::Result::Ok(Self { #(#reads)* })
            }
        }

        impl<#life> ::ubf::Scalar<#life, ::ubf::kind::Nested> for #name #generics {
            fn write(
                &self,
                field: ::ubf::Field<::ubf::kind::Nested>,
                to: &mut ::std::vec::Vec<u8>,
            ) -> ::core::result::Result<(), ::ubf::UbfError> {
                let buffer = ::ubf::UbfStruct::to_buffer(self)?;
                ::ubf::Scalar::write(&buffer.view(), field, to)
            }

            fn read(
                field: ::ubf::Field<::ubf::kind::Nested>,
                value: ::ubf::Value<#life>,
            ) -> ::core::result::Result<Self, ::ubf::UbfError> {
                let view: ::ubf::View<#life> = ::ubf::Scalar::read(field, value)?;
                ::ubf::UbfStruct::read_from(view)
            }
        }

        impl<#life> ::ubf::UbfField<#life, ::ubf::kind::Nested> for #name #generics {
            fn add_to(
                &self,
                field: ::ubf::Field<::ubf::kind::Nested>,
                buffer: &mut ::ubf::Buffer,
            ) -> ::core::result::Result<(), ::ubf::UbfError> {
                buffer.add(field, self)
            }

            fn read_from(
                field: ::ubf::Field<::ubf::kind::Nested>,
                view: ::ubf::View<#life>,
            ) -> ::core::result::Result<Self, ::ubf::UbfError> {
                view.require(field)
            }
        }
    })
}

fn members(input: &DeriveInput) -> Result<Vec<Member<'_>>> {
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(&input.ident, "UbfStruct can be derived for structs only"));
    };
    let Fields::Named(named) = &data.fields else {
        return Err(Error::new_spanned(&input.ident, "UbfStruct needs members with names"));
    };
    let members = named.named.iter().map(member).collect::<Result<Vec<_>>>()?;
    for (at, member) in members.iter().enumerate() {
        if members[..at].iter().any(|other| other.field == member.field) {
            return Err(Error::new_spanned(&member.field, "another member has this field already"));
        }
    }
    Ok(members)
}

fn member(field: &Field) -> Result<Member<'_>> {
    let name = field.ident.as_ref().expect("members have names");
    let mut found = None;
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("ubf")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("field") {
                return Err(meta.error("expected `field = NAME`, the constant of a field table"));
            }
            if found.is_some() {
                return Err(meta.error("a member has one field"));
            }
            found = Some(meta.value()?.parse::<Path>()?);
            Ok(())
        })?;
    }
    let path = found.ok_or_else(|| {
        Error::new_spanned(name, format!("`{name}` names no field: add #[ubf(field = NAME)] with a field of the table"))
    })?;
    Ok(Member { name, of_type: &field.ty, field: path })
}

/// The lifetime that the struct borrows from the buffer, and its generics.
fn lifetime(input: &DeriveInput) -> Result<(Lifetime, Tokens)> {
    if let Some(other) = input.generics.type_params().next() {
        return Err(Error::new_spanned(other, "UbfStruct cannot be derived for a generic struct"));
    }
    let mut lifetimes = input.generics.lifetimes();
    let first = lifetimes.next().map(|parameter| parameter.lifetime.clone());
    if let Some(second) = lifetimes.next() {
        return Err(Error::new_spanned(second, "a UbfStruct borrows from one buffer: use one lifetime"));
    }
    Ok(match first {
        Some(life) => (life.clone(), quote!(<#life>)),
        None => (Lifetime::new("'ubf", proc_macro2::Span::call_site()), quote!()),
    })
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    fn refusal(input: &DeriveInput) -> String {
        implementation(input).unwrap_err().to_string()
    }

    #[test]
    fn a_mistake_is_named() {
        let no_field = parse_quote! { struct Person { name: String } };
        assert_eq!(refusal(&no_field), "`name` names no field: add #[ubf(field = NAME)] with a field of the table");
        let misspelt = parse_quote! { struct Person { #[ubf(feld = NAME)] name: String } };
        assert_eq!(refusal(&misspelt), "expected `field = NAME`, the constant of a field table");
        let twice = parse_quote! { struct Person { #[ubf(field = NAME)] a: String, #[ubf(field = NAME)] b: String } };
        assert_eq!(refusal(&twice), "another member has this field already");
        let both = parse_quote! { struct Person { #[ubf(field = NAME, field = OTHER)] a: String } };
        assert_eq!(refusal(&both), "a member has one field");
    }

    #[test]
    fn what_is_no_struct_of_one_buffer_is_refused() {
        assert_eq!(refusal(&parse_quote! { enum Kind { A } }), "UbfStruct can be derived for structs only");
        assert_eq!(refusal(&parse_quote! { struct Pair(i64, i64); }), "UbfStruct needs members with names");
        let generic = parse_quote! { struct Any<T> { #[ubf(field = NAME)] value: T } };
        assert_eq!(refusal(&generic), "UbfStruct cannot be derived for a generic struct");
        let two = parse_quote! { struct Two<'a, 'b> { #[ubf(field = A)] a: &'a str, #[ubf(field = B)] b: &'b str } };
        assert_eq!(refusal(&two), "a UbfStruct borrows from one buffer: use one lifetime");
    }
}
